import { cannot } from '../errors.ts'
import { readTags, versionOf } from '../http/entity-tags.ts'

/**
 * Throws if the live version does not match `If-Match`; `*` matches all, and a weak validator (`W/`)
 * matches none. Of a tag, only the version counts: a pause does not stand in the way of a change.
 */
export function checkIfMatch(
  ctx: { action: string },
  header: string | undefined,
  row: { version: number },
): void {
  if (header === undefined) return
  const tags = readTags(header)
  const live = String(row.version)
  if (tags === '*' || tags.some((tag) => !tag.isWeak && versionOf(tag) === live)) return
  const why = `If-Match is ${header}, but version ${live} is live by now; read it, then change that`
  throw cannot(ctx, 'version_conflict', why, { param: 'If-Match' })
}
