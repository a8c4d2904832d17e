import { Muster } from '../../sdk/client.ts'
import { MusterError } from '../../sdk/errors.ts'
import { watchedFetch } from '../files/watched-fetch.ts'
import { keepingKeys } from './unanswered.ts'

/** With a key, or without one as the person whose session cookie the browser has. */
export function createClient(key: string | undefined): Muster {
  return new Muster({
    ...(key === undefined ? {} : { apiKey: key }),
    baseUrl: location.origin,
    fetch: keepingKeys(watchedFetch),
    maxRetries: 1,
    timeoutMs: 30_000,
  })
}

export function isEndedSession(error: unknown): error is MusterError {
  return error instanceof MusterError && error.status === 401
}

/** Errors that the dialog says in which one signs in again: the page does not say them, too. */
export const saidByDialog = new WeakSet<object>()

export function isNotFound(error: unknown): boolean {
  return error instanceof MusterError && error.status === 404
}
