import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { FastifySchemaValidationError } from 'fastify'
import { DomainError } from '../errors.ts'
import { article, explain, typeOf } from '../validation-error.ts'

/**
 * JSON Schema validation whose messages say what is wrong, where, and what is expected. Bodies are
 * taken as they are: nothing is dropped or coerced. Query strings are text, so numbers are
 * converted.
 *
 * Fastify asks for a validator in each plugin that adds schemas. All get the same two, and a schema
 * is compiled at its first use: compiling all of them would take a third of the start.
 */
export function createValidatorFactory(): (
  sharedSchemas: unknown,
) => (route: {
  schema: object
  httpPart?: string
}) => (input: unknown) => true | { error: unknown } {
  // The schemas are constants, so a test validates them, not every start.
  const create = (coerceTypes: boolean | 'array') =>
    new Ajv({ coerceTypes, verbose: true, strict: false, meta: false, validateSchema: false })
      .addFormat('date-time', isDateTime)
      // Marks parts of a body that are not validated.
      .addFormat('binary', true)
      // For readers of the document: the operation checks the value, with its own words.
      .addFormat('uri', true)
  const bodies = create(false)
  // A repeatable parameter that is given once becomes a list of one.
  const queries = create('array')
  return (sharedSchemas) => {
    for (const [id, schema] of Object.entries(sharedSchemas as Record<string, object>)) {
      if (!(id in bodies.schemas)) for (const ajv of [bodies, queries]) ajv.addSchema(schema, id)
    }
    return ({ schema, httpPart }) => {
      let validate: ValidateFunction | undefined
      return (input) => {
        validate ??= (httpPart === 'querystring' ? queries : bodies).compile(schema)
        return validate(input) || { error: validate.errors }
      }
    }
  }
}

function isDateTime(text: string): boolean {
  const form = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/
  const [, day] = form.exec(text) ?? []
  const ms = Date.parse(text)
  if (day === undefined || Number.isNaN(ms)) return false
  // Rejects the 30th of February, which `Date` reads as the 2nd of March, and times that are in the
  // year 10000 in UTC.
  return new Date(day).toISOString().startsWith(day) && /^\d{4}-/.test(new Date(ms).toISOString())
}

/** The error for a failed validation; `action` completes "Cannot …". */
export function toValidationError(
  errors: FastifySchemaValidationError[],
  action: string,
  part = 'body',
): DomainError {
  const error = errors[0] as unknown as ErrorObject
  const { code, param, why } = explain(error, `the ${part}`)
  return new DomainError(code, `Cannot ${action}: ${why}`, param === '' ? {} : { param })
}

/** Rejects a body on a route that takes none; `{}` counts as none. */
export function refuseBody(body: unknown, action: string): void {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isObject) {
    const why = `the body must be an object or absent, not ${article(typeOf(body))}`
    throw new DomainError('invalid_type', `Cannot ${action}: ${why}`)
  }
  const [field] = Object.keys(body)
  if (field === undefined) return
  const param = field.slice(0, 100)
  const why = `${param} is not a known field, this request takes none`
  throw new DomainError('unknown_field', `Cannot ${action}: ${why}`, { param })
}
