import { outageOf } from '../db/outage.ts'
import { DomainError } from '../errors.ts'

const againSeconds = 10

/** Whether file contents or texts are unavailable for now: a retry may succeed. */
export function isAway(error: unknown): boolean {
  if (error instanceof DomainError) return error.type === 'unavailable'
  return outageOf(error) !== undefined
}

export function filesUnavailable(action: string, cause: unknown): DomainError {
  const message = `Cannot ${action}: the store of files does not answer`
  return new DomainError('files_unavailable', message, { retryAfterSeconds: againSeconds, cause })
}
