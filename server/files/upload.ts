import { whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { checkRoom } from './limits.ts'
import { toFile } from './files.ts'
import { readContent } from './read-content.ts'
import type { StoredFile } from './schema.ts'
import { files, keepContent } from './store.ts'
import type { StoredContent } from './stored-content.ts'

/**
 * Creates a file from an upload. Its text is read first, so that the file appears with all of its
 * properties, or not at all.
 */
export async function uploadFile(
  ctx: Context,
  id: string,
  upload: StoredContent,
): Promise<{ file: StoredFile; isNew: boolean }> {
  const { accountId } = ctx
  const { key, name, bytes, sha256 } = upload
  const known = await readContent(ctx, upload)
  return whileLocked(ctx, async (transaction) => {
    // A crashed request may have created it.
    const existing = await files.find(transaction, accountId, { id })
    if (existing !== undefined) return { file: toFile(existing), isNew: false }
    await checkRoom(ctx, transaction, bytes)
    if (!(await keepContent(transaction, key))) {
      const why = 'it took more than an hour, or the client left'
      throw cannot(ctx, 'invalid_request', why)
    }
    const row = { id, content_id: key.contentId, name, bytes, sha256, ...known }
    const inserted = await files.insert(transaction, accountId, row, null)
    const file = toFile(inserted as NonNullable<typeof inserted>)
    await recordAudit(transaction, ctx, { objectId: id, after: file })
    return { file, isNew: true }
  })
}
