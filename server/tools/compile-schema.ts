import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * A check of arguments against a tool's schema, in the draft that the schema names: 2020-12, or else
 * draft 7. Throws where the schema is not valid or refers to another document.
 */
export function compileSchema(schema: object): ValidateFunction {
  const { $schema: draft, ...rest } = schema as { $schema?: unknown }
  const Draft = typeof draft === 'string' && draft.includes('2020-12') ? Ajv2020 : Ajv
  return new Draft({ strict: false, validateFormats: false, logger: false }).compile(rest)
}
