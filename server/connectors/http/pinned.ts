import { createHash } from 'node:crypto'
import { canonical } from '../../tools/contract.ts'
import type { PinnedTool } from '../mcp/pins.ts'
import type { HttpRequest } from './request.ts'

/** An action of an HTTP API as an admin defined or accepted it, with its request. */
export interface HttpTool extends PinnedTool {
  /** Absent if it cannot be offered or was not picked. */
  request?: HttpRequest
  /** OpenAPI: the operation as its document names and places it. */
  operation?: { name: string; method: string; path: string }
}

/** A difference between the accepted document and the current one. */
export interface DocumentChange {
  operation: string
  change: 'added' | 'changed' | 'removed'
  /** What differs: `description`, `input_schema` or `request`, before and after. */
  fields?: { field: string; before: unknown; after: unknown }[]
}

export function hashAction(action: {
  description: string
  input_schema: unknown
  request: HttpRequest
}): string {
  return createHash('sha256').update(canonical(action)).digest('hex')
}
