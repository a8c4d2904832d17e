import { MusterError } from '../../sdk/errors.ts'
import { Muster } from '../../sdk/client.ts'

export function createClient(key: string): Muster {
  return new Muster({ apiKey: key, baseUrl: location.origin, maxRetries: 1, timeoutMs: 30_000 })
}

export function isEndedSession(error: unknown): boolean {
  return error instanceof MusterError && error.status === 401
}

export function isNotFound(error: unknown): boolean {
  return error instanceof MusterError && error.status === 404
}
