import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { validatorOf } from '../json-schema/validator.ts'
import { findInputSchema } from './store.ts'

/**
 * Refuses the data of a run that does not fit its workflow; without data, what an empty object lacks is
 * missing. Answers the hash of the schema that was checked against; null for none.
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

/** The same for many: `check` refuses; `field` is where the data stands in the request. */
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

/** Refuses data that does not fit a schema, as JSON text. */
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
