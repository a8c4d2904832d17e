import type { Context } from '../context.ts'
import type { Database, Transaction } from '../db/client.ts'
import { cannot, tooMany } from '../errors.ts'
import { readFileUse } from './store.ts'

/** Bounds of files. Bytes that an account may have together are a setting, and a quota of its operator. */
const maxFilesPerAccount = 10_000
export const maxNameLength = 200

/** Of an image; a decoder takes four bytes a pixel. */
export const maxSide = 20_000
export const maxPixels = 100_000_000

/** Refuses a file of so many bytes for which the account has no room; its row is locked where that shall hold. */
export async function checkRoom(
  ctx: Pick<Context, 'accountId' | 'fileBytesPerAccount' | 'action'>,
  database: Database | Transaction,
  bytes: number,
): Promise<void> {
  const use = await readFileUse(database, ctx.accountId)
  if (use.count >= maxFilesPerAccount) {
    throw tooMany(ctx, 'too_many_files', maxFilesPerAccount, 'files')
  }
  const max = use.maxBytes ?? ctx.fileBytesPerAccount
  if (use.bytes + bytes <= max) return
  const why = `the account's files have ${use.bytes} bytes, at most ${max}; delete some`
  throw cannot(ctx, 'quota_reached', why)
}
