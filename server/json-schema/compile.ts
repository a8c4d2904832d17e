import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats, { type FormatName } from 'ajv-formats'
import { equality } from './equality.ts'
import { createPattern } from './linear-pattern.ts'
import { multipleOf } from './multiple-of.ts'

/** The validator, a kept library. What it is given was looked through before. */
const meta = new Ajv2020({ verbose: true, logger: false, validateFormats: false })

/** What is wrong with a schema by the schema of schemas; undefined where nothing is. */
export function findMetaError(schema: Record<string, unknown>): ErrorObject | undefined {
  const { $schema: _, ...rest } = schema
  if (meta.validateSchema(rest) === true) return undefined
  return meta.errors?.[0]
}

/** Formats that are checked; others are notes. */
export const checkedFormats: FormatName[] = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
].concat('ipv4', 'ipv6', 'uri', 'uuid') as FormatName[]
const maxFormatted = 2_000
/** What RFC 3339, 1123 and 4122 ask beyond what the library looks at. */
const stricter: Partial<Record<FormatName, RegExp>> = {
  // Hours up to 23, and minutes in the offset.
  'date-time': /^[^Tt ]+[Tt ](?:[01]\d|2[0-3]):.*(?:[Zz]|:\d\d)$/,
  // No unit is left out between two others.
  duration: /^P(?!\d+Y\d+D)(?!.*T\d+H\d+S)/,
  hostname: /[^.]$/,
  uuid: /^[^:]*$/,
}

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
  // Nothing asks what was evaluated, and code that keeps account of it throws where branches differ.
  ajv.opts.unevaluated = false
  for (const name of checkedFormats) {
    ajv.addFormat(name, (text: string) => text.length <= maxFormatted && isFormatted(name, text))
  }
  for (const definition of [...equality, multipleOf]) {
    ajv.removeKeyword(definition.keyword as string).addKeyword(definition)
  }
  return ajv.compile(schema)
}

function isFormatted(name: FormatName, text: string): boolean {
  if (stricter[name]?.test(text) === false) return false
  const format = addFormats.default.get(name)
  const check = typeof format === 'object' && 'validate' in format ? format.validate : format
  return check instanceof RegExp ? check.test(text) : (check as (text: string) => boolean)(text)
}
