import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { findOpenRunOf } from '../engine/journal/files.ts'
import { cannot, notFound } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import type { StoredFile } from './schema.ts'
import { dropContent, files, type FileRow } from './store.ts'

/**
 * Files of an account, which runs read and agents write. A row names the contents, which are in a
 * store (`contents/`). `upload.ts` stores files and `send-content.ts` sends them; `for-agents/`
 * gives them to models and tools. A file that an unfinished run uses cannot be deleted.
 */

/** Newest first, 50 by default. */
export async function listFiles(
  { reads, accountId }: Pick<Context, 'reads' | 'accountId'>,
  { limit = 50, after }: PageRequest,
): Promise<Page<StoredFile>> {
  const { items, next } = await files.list(reads, accountId, { limit, after })
  return { items: items.map(toFile), next }
}

type Finding = Pick<Context, 'database' | 'accountId' | 'action'>

export async function retrieveFile(ctx: Finding, id: string): Promise<StoredFile> {
  return toFile(await findFile(ctx, id))
}

export async function findFile(ctx: Finding, id: string): Promise<FileRow> {
  const row = await files.find(ctx.database, ctx.accountId, { id })
  if (row === undefined) throw notFound(ctx, 'file', id)
  return row
}

/** Deletes a file. Finished runs keep its name; its contents are deleted soon after. */
export function deleteFile(ctx: Context, id: string): Promise<void> {
  const { accountId } = ctx
  return ctx.database.transaction().execute(async (transaction) => {
    // The lock waits for runs that are being triggered with the file, so that they are found below.
    const row = await files.find(transaction, accountId, { id }, 'for update')
    if (row === undefined) throw notFound(ctx, 'file', id)
    const runId = await findOpenRunOf(transaction, accountId, id)
    if (runId !== undefined) {
      throw cannot(ctx, 'file_in_use', `run ${runId} uses it and has not ended`)
    }
    await files.delete(transaction, accountId, { id })
    await dropContent(transaction, { accountId, contentId: row.content_id }, 'kept')
    await recordAudit(transaction, ctx, { objectId: id, before: toFile(row) })
  })
}

export function toFile({ content_id: _content, ...file }: FileRow): StoredFile {
  return file
}
