import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { validatorOf } from '../json-schema/validator.ts'
import { findInputSchema } from './store.ts'

/**
 * Throws if the data of a run does not fit its workflow's input schema; missing data counts as an
 * empty object. Returns the hash of the schema; null if there is none.
 */
export async function checkData(
  ctx: Context,
  workflowId: string,
  data: object | null,
): Promise<string | null> {
  const { hash, check } = await openDataCheck(ctx, workflowId)
  check(data)
  return hash
}

/** The same for many runs: `check` throws; `field` is the path of the data in the request. */
export async function openDataCheck(
  ctx: Context,
  workflowId: string,
): Promise<{ hash: string | null; check: (data: object | null, field?: string) => void }> {
  const schema = await findInputSchema(ctx.database, ctx.accountId, workflowId)
  if (schema === undefined) return { hash: null, check: () => {} }
  const validator = validatorOf(schema.text)
  return {
    hash: schema.hash,
    check: (data, field) => checkAgainst(ctx, validator, data, field),
  }
}

/** Throws if data does not fit a schema, given as JSON text. */
export function checkDataAgainst(ctx: Context, schema: string, data: object | null): void {
  checkAgainst(ctx, validatorOf(schema), data)
}

function checkAgainst(
  ctx: Context,
  validator: ReturnType<typeof validatorOf>,
  data: object | null,
  field = 'data',
): void {
  const problem = validator.findProblem(data ?? {}, field)
  if (problem === undefined) return
  const why =
    data === null
      ? `${field} is left out, and {} does not fit the input_schema`
      : `${field} does not fit the input_schema`
  const param = problem.path === '' ? field : `${field}.${problem.path}`.slice(0, 500)
  throw cannot(ctx, 'invalid_data', `${why}: ${problem.why}`, { param })
}
