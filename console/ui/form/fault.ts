import { MusterError } from '../../../sdk/errors.ts'

/** The field that an API error names, so that a form can show it there. */
export function faultOf(error: unknown): { param: string; message: string } | undefined {
  return error instanceof MusterError && error.param !== undefined
    ? { param: error.param, message: error.message }
    : undefined
}

export function isEndedSession(error: unknown): error is MusterError {
  return error instanceof MusterError && error.status === 401
}

/** The cause of a failed request while this device has no connection. */
export class Offline extends TypeError {}

/** Errors that the sign-in dialog shows, so that the page does not show them too. */
export const saidByDialog = new WeakSet<object>()

export function isNotFound(error: unknown): boolean {
  return error instanceof MusterError && error.status === 404
}
