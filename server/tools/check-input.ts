import { Ajv, type ValidateFunction } from 'ajv'
import { checkValue } from '../json-schema/schemas.ts'
import { isDeeperThan, maxDepth } from '../json-limits.ts'
import { isStorableJson } from '../safe-text.ts'
import { whenRoom, type Caller } from '../sandbox/sandbox.ts'
import { checkForeign } from './check-foreign.ts'
import type { Action } from './contract.ts'

/**
 * Why arguments do not fit an action; undefined if they do. Text that PostgreSQL cannot store, and
 * arguments that are too long for a reviewer, are rejected as well.
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
  return validate(input) ? undefined : firstError(validate)
}

/** The same, and for a user's schema all of it, which may take the sandbox. */
export async function checkArguments(
  caller: Caller,
  action: Parameters<typeof checkInput>[0] & Pick<Action, 'schemaText'>,
  input: unknown,
): Promise<string | undefined> {
  const wrong = checkInput(action, input)
  if (wrong !== undefined || action.schemaText === undefined) return wrong
  const { schemaText } = action
  return (await whenRoom(() => checkValue(caller, schemaText, input, 'the arguments')))?.why
}

// Keeps compiled schemas forever, which is fine for Muster's own, because they are constants.
const ajv = new Ajv({ strict: false, validateFormats: false, logger: false, verbose: true })

/** Bytes of JSON, such that arguments always fit into the body of a webhook. */
const usualInputBytes = 32 * 1024

function firstError({ errors }: ValidateFunction): string {
  const [error] = errors ?? []
  if (error === undefined) return 'the arguments do not fit the schema'
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const { description } = (error.parentSchema ?? {}) as { description?: string }
  // A description says more than the regular expression.
  if (error.keyword === 'pattern' && description !== undefined) {
    return `${path} does not fit, expected: ${description}`
  }
  const extra: unknown = error.params['additionalProperty']
  const name = typeof extra === 'string' ? ` (${extra})` : ''
  return `${path === '' ? 'the arguments' : path} ${error.message ?? 'are wrong'}${name}`
}
