import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { FastifySchemaValidationError } from 'fastify'
import { DomainError } from '../errors.ts'
import { article, explain, typeOf } from '../validation-error.ts'

/**
 * JSON Schema validation whose messages say what is wrong, where, and what is expected. Bodies are
 * taken as they are: nothing is dropped or coerced. Query strings are text, so numbers are read
 * from them.
 *
 * Fastify asks for a validator in each plugin that adds schemas. All get the same two, and a schema is
 * compiled for the first request that it judges: all of them at once would be a third of the start.
 */
export function createValidatorFactory(): (
  sharedSchemas: unknown,
) => (route: {
  schema: object
  httpPart?: string
}) => (input: unknown) => true | { error: unknown } {
  // The schemas are constants: a test holds them against the schema of schemas, not every start.
  const create = (coerceTypes: boolean | 'array') =>
    new Ajv({ coerceTypes, verbose: true, strict: false, meta: false, validateSchema: false })
      .addFormat('date-time', isDateTime)
      // Of a part of a body, which nothing is to be said of.
      .addFormat('binary', true)
  const bodies = create(false)
  // What may be repeated and is given once is a list of one.
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
  // Else the 30th of February is the 2nd of March, and the year 10000 in UTC one that nothing else reads.
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

/** Bodies of routes that take none: `{}` is none as well. */
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
