import type { StateRow } from '../../db/connection-state.ts'
import type { ToolPick } from '../mcp/pins.ts'
import type { DocumentChange, HttpTool } from './pinned.ts'

/** An HTTP API as it is stored. */
export interface HttpRow extends StateRow {
  kind: 'http' | 'openapi'
  id: string
  secret: Buffer
  /** Changes with each change of the secret. */
  version: string
  /** Origin of the base address. */
  url: string
  header_names: string[]
  /** Actions that need no approval. */
  safe_tools: string[]
  /** OpenAPI: null for all operations. */
  picked: ToolPick | null
  tools: HttpTool[]
  changed_tools: string[]
  label: string | null
  settings: HttpSettings
  /** OpenAPI: how the document differs from the accepted one. */
  changes: DocumentChange[]
}

/** What anyone who may see the connector may know of its connection. */
interface HttpSettings {
  base_url: string
  auth: Record<string, unknown>
  document?: {
    /** Origin of its address; null if it was given itself. */
    origin: string | null
    title: string
    version: string
    /** Operations of the document, listed or not. */
    operations: number
  }
}

export function isHttpRow<Row extends { kind: string }>(
  row: Row | undefined,
): row is Row & HttpRow {
  return row?.kind === 'http' || row?.kind === 'openapi'
}
