import type { Context } from '../context.ts'
import type { Database, Transaction } from '../db/client.ts'
import { cannot, tooMany } from '../errors.ts'
import { readFileUse } from './store.ts'
import { refusal, Slots } from '../slots.ts'

/*
 * Limits of files: of one file, of all files of an account, and of files in progress at once. The bytes of an account
 * are limited by a setting, and by a quota of its operator.
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

const line = { waiting: 100, waitingPerAccount: 20, waitMs: 60_000 }
const tooManyAtOnce = refusal(
  'too_many_uploads',
  'too many files are in progress, try again later',
  5,
)

/** Uploads of this process. Each holds a few megabytes in memory. */
export const arrivalSlots = new Slots({ active: 16, activePerAccount: 4, ...line }, tooManyAtOnce)

/**
 * Files whose text is being read in this process. A PDF, Word or Excel file is in memory as a
 * whole, in a thread of its own.
 */
export const textSlots = new Slots({ active: 8, activePerAccount: 4, ...line }, tooManyAtOnce)
export const documentSlots = new Slots({ active: 2, activePerAccount: 2, ...line }, tooManyAtOnce)

/** Downloads of this process. Each holds up to a megabyte in memory. */
export const sendSlots = new Slots({ active: 48, activePerAccount: 12, ...line }, tooManyAtOnce)
