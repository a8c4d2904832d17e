import { Ajv, type ErrorObject } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { DomainError } from '../errors.ts'
import { toValidationError } from '../http/validation.ts'

const ajv = new Ajv({ strict: false, verbose: true })

/** Checks a body that holds secrets: messages name fields and bounds, never values. */
export function parseBody<S extends TSchema>(schema: S, body: unknown, action: string): Static<S> {
  if (body === undefined || body === null) {
    throw new DomainError('required', `Cannot ${action}: the body is required`)
  }
  if (ajv.validate(schema, body)) return body as Static<S>
  const errors = (ajv.errors ?? []).map(withoutValue)
  throw toValidationError(errors as Parameters<typeof toValidationError>[0], action)
}

// Messages show lengths, so only what would be shown itself is replaced.
function withoutValue(error: ErrorObject): ErrorObject {
  const { keyword, data } = error
  const isShown = ['pattern', 'format', 'enum', 'const'].includes(keyword)
  return isShown && typeof data === 'string' ? { ...error, data: '[hidden]' } : error
}
