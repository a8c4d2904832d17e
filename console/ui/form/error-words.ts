import { MusterError } from '../../../sdk/errors.ts'
import { Offline } from './fault.ts'

/** A failure in words for people: the API's own message, or what became of the connection. */
export function wordsOfError(error: unknown): string {
  if (!(error instanceof MusterError)) return error instanceof Error ? error.message : String(error)
  if (error.cause instanceof Offline) {
    return 'You are offline. Try again when the connection is back.'
  }
  if (error.type === 'timeout') return 'The service took too long to answer. Try again.'
  if (error.status === 0) return 'The service does not answer. Try again in a moment.'
  if (error.type === 'unexpected_answer') {
    return error.status === 413
      ? 'Something between this page and Muster refuses requests of this size (status 413).'
      : `Something between this page and Muster answered in its place (status ${error.status}). Try again in a moment.`
  }
  return error.message
}

/** Whether the connection failed rather than the request: every part of a page then fails alike. */
export function isOfConnection(error: unknown): boolean {
  return error instanceof MusterError && (error.status === 0 || error.type === 'unexpected_answer')
}
