import { MusterError } from '../../sdk/errors.ts'

/** The field that the API names, for a form to show it there. */
export function faultOf(error: unknown): { param: string; message: string } | undefined {
  return error instanceof MusterError && error.param !== undefined
    ? { param: error.param, message: error.message }
    : undefined
}
