import { Ajv, type ValidateFunction } from 'ajv'
import { isDeeperThan, maxDepth } from '../nesting.ts'
import { isStorableJson } from '../storable.ts'
import { checkForeign } from './check-foreign.ts'
import type { Action } from './contract.ts'

/**
 * Why arguments do not fit an action, in words; undefined when they do. What PostgreSQL cannot hold
 * and what no reviewer could read whole is refused as well.
 */
export function checkInput(
  {
    inputSchema,
    isForeign,
    maxInputBytes = usualInputBytes,
  }: Pick<Action, 'inputSchema' | 'isForeign'> & { maxInputBytes?: number | undefined },
  input: unknown,
): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return 'the arguments are no JSON object'
  }
  if (isDeeperThan(input, maxDepth))
    return `the arguments are nested more than ${maxDepth} levels deep`
  const text = JSON.stringify(input)
  const bytes = Buffer.byteLength(text)
  if (bytes > maxInputBytes) {
    return `the arguments have ${bytes} bytes of JSON, at most ${maxInputBytes}`
  }
  if (!isStorableJson(text)) return 'the arguments hold a NUL or an unpaired surrogate'
  if (isForeign === true) return checkForeign(inputSchema, input)
  const validate = ajv.compile(inputSchema as object)
  return validate(input) ? undefined : describe(validate)
}

// Keeps what it compiled for good, which Muster's own schemas may: they are constants.
const ajv = new Ajv({ strict: false, validateFormats: false, logger: false, verbose: true })

/** Bytes of JSON; with it the body of a webhook always has room for the arguments. */
const usualInputBytes = 32 * 1024

function describe({ errors }: ValidateFunction): string {
  const [error] = errors ?? []
  if (error === undefined) return 'the arguments do not fit the schema'
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const { description } = (error.parentSchema ?? {}) as { description?: string }
  // Words say more than the regular expression.
  if (error.keyword === 'pattern' && description !== undefined) {
    return `${path} does not fit, expected: ${description}`
  }
  const extra: unknown = error.params['additionalProperty']
  const name = typeof extra === 'string' ? ` (${extra})` : ''
  return `${path === '' ? 'the arguments' : path} ${error.message ?? 'are wrong'}${name}`
}
