import { refusal, Slots } from '../slots.ts'

const line = { waiting: 100, waitingPerAccount: 20, waitMs: 60_000 }
const tooMany = refusal('too_many_uploads', 'too many files are in progress, try again later', 5)

/** Uploads of this process. Each holds a few megabytes in memory. */
export const arrivalSlots = new Slots({ active: 16, activePerAccount: 4, ...line }, tooMany)

/**
 * Files whose text is being read in this process. A PDF, Word or Excel file is in memory as a
 * whole, in a thread of its own.
 */
export const textSlots = new Slots({ active: 8, activePerAccount: 4, ...line }, tooMany)
export const documentSlots = new Slots({ active: 2, activePerAccount: 2, ...line }, tooMany)

/** Downloads of this process. Each holds up to a megabyte in memory. */
export const sendSlots = new Slots({ active: 48, activePerAccount: 12, ...line }, tooMany)
