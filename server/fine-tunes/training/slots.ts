import { refusal, Slots } from '../../slots.ts'

/**
 * Training sets arrive, are read, and then uploaded, a few at a time. One that waits to be uploaded takes the
 * memory of the compressed set.
 */

const line = { waiting: 100, waitingPerAccount: 10, waitMs: 30_000 }
const why = 'too many training sets are in progress, try again later'
const tooMany = refusal('too_many_uploads', why, 5)

/** Of the process: bodies in memory, from their first byte until they are read. */
export const arrivalSlots = new Slots({ active: 8, activePerAccount: 2, ...line }, tooMany)

export const mostReaders = 4
/** Of the process. */
export const readerSlots = new Slots({ active: mostReaders, activePerAccount: 2, ...line }, tooMany)

/** Of the process. A provider that hangs holds one for the time-outs of an upload and a create. */
export const uploadSlots = new Slots(
  { active: 8, activePerAccount: 4, waiting: 16, waitingPerAccount: 4, waitMs: 30_000 },
  tooMany,
)
