import { DomainError } from '../../errors.ts'
import { Slots } from '../../slots.ts'

/**
 * Training sets arrive, are read, and then uploaded, a few at a time. One that waits to be uploaded takes the
 * memory of the compressed set.
 */

/** Of the process: bodies in memory, from their first byte until they are read. */
export const arrivalSlots = new Slots(
  {
    active: 8,
    activePerAccount: 2,
    waiting: 100,
    waitingPerAccount: 10,
    waitMs: 30_000,
  },
  tooMany,
)

/** Of the process. */
export const readerSlots = new Slots(
  {
    active: 4,
    activePerAccount: 2,
    waiting: 100,
    waitingPerAccount: 10,
    waitMs: 30_000,
  },
  tooMany,
)

/** Of the process. A provider that hangs holds one for the time-outs of an upload and a create. */
export const uploadSlots = new Slots(
  {
    active: 8,
    activePerAccount: 4,
    waiting: 16,
    waitingPerAccount: 4,
    waitMs: 30_000,
  },
  tooMany,
)

function tooMany(action: string): DomainError {
  return new DomainError(
    'too_many_uploads',
    `Cannot ${action}: too many training sets are in progress, try again later`,
    { retryAfterSeconds: 5 },
  )
}
