import { isDeepStrictEqual } from 'node:util'
import type { DocumentChange, HttpTool } from '../http/pinned.ts'

/** How a document differs from the accepted one, as far as agents are concerned. */
export interface Comparison {
  changes: DocumentChange[]
  /** Accepted actions that are refused until an admin accepts the document again. */
  changed: string[]
}

const maxChanges = 200
/** JSON of one value of a difference; a larger one is only named. */
const maxValueLength = 8_000

export function compare(
  accepted: readonly HttpTool[],
  current: readonly HttpTool[],
  isWhole: boolean,
): Comparison {
  const now = new Map(current.map((tool) => [tool.name, tool]))
  const before = new Set(accepted.map(({ name }) => name))
  const offered = accepted.filter(({ request }) => request !== undefined)
  const changes: DocumentChange[] = []
  const changed: string[] = []
  for (const tool of offered) {
    const found = now.get(tool.name)
    if (found?.hash === tool.hash) continue
    changed.push(tool.name)
    const operation = tool.operation?.name ?? tool.name
    changes.push(
      found === undefined
        ? { operation, change: 'removed' }
        : { operation, change: 'changed', fields: differences(tool, found) },
    )
  }
  // If not all operations are listed, an unlisted one is not new.
  const added = isWhole ? current.filter(({ name }) => !before.has(name)) : []
  for (const { operation, name } of added) {
    changes.push({ operation: operation?.name ?? name, change: 'added' })
  }
  return { changes: changes.slice(0, maxChanges), changed }
}

function differences(before: HttpTool, after: HttpTool): NonNullable<DocumentChange['fields']> {
  if (after.refused !== undefined) {
    return [{ field: 'available', before: true, after: after.refused }]
  }
  return (['description', 'input_schema', 'request'] as const).flatMap((field) => {
    const [old, now] = [before[field], after[field]]
    // Stored JSON has its keys in another order.
    if (isDeepStrictEqual(old, now)) return []
    return [{ field, before: shown(old), after: shown(now) }]
  })
}

function shown(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= maxValueLength ? (value ?? null) : `${text.length} characters of JSON`
}
