import { refusal, Slots } from '../../slots.ts'

/**
 * Limits on training sets that are received, read and uploaded at the same time. One that waits for
 * its upload uses the memory of the compressed set.
 */

const line = { waiting: 100, waitingPerAccount: 10, waitMs: 30_000 }
const why = 'too many training sets are in progress, try again later'
const tooMany = refusal('too_many_uploads', why, 5)

/** Bodies in memory in this process, from their first byte until they are read. */
export const arrivalSlots = new Slots({ active: 8, activePerAccount: 2, ...line }, tooMany)

/**
 * Uploads of this process. A provider that hangs occupies a slot until the timeouts of an upload
 * and a create.
 */
export const uploadSlots = new Slots(
  { active: 8, activePerAccount: 4, waiting: 16, waitingPerAccount: 4, waitMs: 30_000 },
  tooMany,
)
