import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { checkValue } from '../json-schema/schemas.ts'
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
  await check(data)
  return hash
}

/** The same for many runs: `check` throws; `field` is the path of the data in the request. */
export async function openDataCheck(
  ctx: Context,
  workflowId: string,
): Promise<{
  hash: string | null
  check: (data: object | null, field?: string) => Promise<void>
}> {
  const schema = await findInputSchema(ctx.database, ctx.accountId, workflowId)
  if (schema === undefined) return { hash: null, check: async () => {} }
  return {
    hash: schema.hash,
    check: (data, field) => checkDataAgainst(ctx, schema.text, data, field),
  }
}

/** Throws if data does not fit a schema, given as JSON text. */
export async function checkDataAgainst(
  ctx: Context,
  schema: string,
  data: object | null,
  field = 'data',
): Promise<void> {
  const problem = await checkValue(ctx, schema, data ?? {}, field)
  if (problem === undefined) return
  const why =
    data === null
      ? `${field} is left out, and {} does not fit the input_schema`
      : `${field} does not fit the input_schema`
  const param = problem.path === '' ? field : `${field}.${problem.path}`.slice(0, 500)
  throw cannot(ctx, 'invalid_data', `${why}: ${problem.why}`, { param })
}
