import {
  Ajv2020,
  _,
  str,
  type ErrorObject,
  type FuncKeywordDefinition,
  type ValidateFunction,
} from 'ajv/dist/2020.js'
import addFormats, { type FormatName } from 'ajv-formats'
import { createPattern } from './linear-pattern.ts'

/** Validates schemas by the meta-schema. */
const meta = new Ajv2020({ verbose: true, logger: false, validateFormats: false })

/** The first error of a schema by the meta-schema; undefined if it is valid. */
export function findMetaError(schema: Record<string, unknown>): ErrorObject | undefined {
  const { $schema: _dialect, ...rest } = schema
  if (meta.validateSchema(rest) === true) return undefined
  return meta.errors?.[0]
}

/** Formats that are checked; others are annotations. */
export const checkedFormats: FormatName[] = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
].concat('ipv4', 'ipv6', 'uri', 'uuid') as FormatName[]
const maxFormatted = 2_000
/** Rules of RFC 3339, 1123 and 4122 that the library does not check. */
const stricter: Partial<Record<FormatName, RegExp>> = {
  // Hours up to 23, and an offset with minutes.
  'date-time': /^[^Tt ]+[Tt ](?:[01]\d|2[0-3]):.*(?:[Zz]|:\d\d)$/,
  // No unit may be skipped between two others.
  duration: /^P(?!\d+Y\d+D)(?!.*T\d+H\d+S)/,
  hostname: /[^.]$/,
  uuid: /^[^:]*$/,
}

/**
 * Compares decimals, to 15 digits. Ajv compares binary fractions, for which 19.99 is not a multiple
 * of 0.01.
 */
const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: {
    message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
    params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
  },
  compile: (step: number) => (value: number) => Number((value / step).toPrecision(15)) % 1 === 0,
}

/** A new instance for each schema, because a shared one keeps everything that it compiled. */
export function compileSchema(
  given: Record<string, unknown>,
  { allErrors = false } = {},
): ValidateFunction {
  const { $schema: _dialect, ...schema } = given
  const engine = Object.assign((source: string) => createPattern(source), { code: 'createPattern' })
  const ajv = new Ajv2020({
    meta: false,
    validateSchema: false,
    strict: false,
    verbose: true,
    logger: false,
    addUsedSchema: false,
    // Compiles each referenced schema once.
    inlineRefs: false,
    // Otherwise inherited properties such as `toString` count as present.
    ownProperties: true,
    allErrors,
    code: { regExp: engine, optimize: false },
  })
  // No supported keyword needs it, and its generated code throws if branches differ.
  ajv.opts.unevaluated = false
  for (const name of checkedFormats) {
    ajv.addFormat(name, (text: string) => text.length <= maxFormatted && isFormatted(name, text))
  }
  ajv.removeKeyword(multipleOf.keyword as string).addKeyword(multipleOf)
  return ajv.compile(schema)
}

function isFormatted(name: FormatName, text: string): boolean {
  if (stricter[name]?.test(text) === false) return false
  const format = addFormats.default.get(name)
  const check = typeof format === 'object' && 'validate' in format ? format.validate : format
  return check instanceof RegExp ? check.test(text) : (check as (text: string) => boolean)(text)
}
