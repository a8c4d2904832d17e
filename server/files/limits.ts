import type { Context } from '../context.ts'
import type { Database, Transaction } from '../db/client.ts'
import { cannot, tooMany } from '../errors.ts'
import { readFileUse } from './store.ts'

/*
 * Limits of one file and of all files of an account. The bytes of an account are limited by a setting, and by a quota of
 * its operator. `start/limits.ts` has the limits of files in progress at once.
 */

const maxFilesPerAccount = 10_000
export const maxNameLength = 200

/** Limit of an image; a decoder needs four bytes a pixel. */
export const maxSide = 20_000
export const maxPixels = 100_000_000

/**
 * Throws if the account has no room for a file of this size. To rely on it, the account's row must
 * be locked.
 */
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
