import { cannot } from '../errors.ts'

/** The number of the live version as an entity tag. */
function etagOf({ version }: { version: number }): string {
  return `"${version}"`
}

/** Throws if the live version does not match `If-Match`; `*` matches all, and a weak validator (`W/`) matches none. */
export function checkIfMatch(
  ctx: { action: string },
  header: string | undefined,
  row: { version: number },
): void {
  if (header === undefined) return
  const tags = header.split(',').map((tag) => tag.trim())
  const bare = String(row.version)
  if (tags.some((tag) => tag === '*' || tag === bare || tag === etagOf(row))) return
  const why = `If-Match is ${header}, but version ${row.version} is live by now; read it, then change that`
  throw cannot(ctx, 'version_conflict', why, { param: 'If-Match' })
}
