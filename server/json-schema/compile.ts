import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats, { type FormatName } from 'ajv-formats'
import { createPattern } from './linear-pattern.ts'

/** The validator, a kept library. What it is given was looked through before. */
const meta = new Ajv2020({ verbose: true, logger: false, validateFormats: false })

/** What is wrong with a schema by the schema of schemas; undefined where nothing is. */
export function findMetaError(schema: Record<string, unknown>): ErrorObject | undefined {
  const { $schema: _, ...rest } = schema
  if (meta.validateSchema(rest) === true) return undefined
  return meta.errors?.[0]
}

/** Formats that are checked; others are notes. */
const formats: FormatName[] = ['date', 'time', 'date-time', 'duration', 'email', 'hostname'].concat(
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
) as FormatName[]
const maxFormatted = 2_000

/** An instance each: one that is shared keeps whatever it compiled. */
export function compileSchema(
  given: Record<string, unknown>,
  { allErrors = false } = {},
): ValidateFunction {
  const { $schema: _, ...schema } = given
  const engine = Object.assign((source: string) => createPattern(source), { code: 'createPattern' })
  const ajv = new Ajv2020({
    meta: false,
    validateSchema: false,
    strict: false,
    verbose: true,
    logger: false,
    addUsedSchema: false,
    // A schema that is used often is compiled once.
    inlineRefs: false,
    // Without it an object has what all objects inherit, such as `toString`.
    ownProperties: true,
    allErrors,
    code: { regExp: engine, optimize: false },
  })
  for (const name of formats) {
    ajv.addFormat(name, (text: string) => text.length <= maxFormatted && isFormatted(name, text))
  }
  return ajv.compile(schema)
}

function isFormatted(name: FormatName, text: string): boolean {
  const format = addFormats.default.get(name)
  const check = typeof format === 'object' && 'validate' in format ? format.validate : format
  return check instanceof RegExp ? check.test(text) : (check as (text: string) => boolean)(text)
}
