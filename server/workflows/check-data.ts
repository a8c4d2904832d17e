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
  const schema = await findInputSchema(ctx.database, ctx.accountId, workflowId)
  if (schema === undefined) return null
  const problem = validatorOf(schema.text).findProblem(data ?? {}, 'data')
  if (problem === undefined) return schema.hash
  const why =
    data === null
      ? `data is left out, and {} does not fit the input_schema`
      : 'data does not fit the input_schema'
  const param = problem.path === '' ? 'data' : `data.${problem.path}`.slice(0, 500)
  throw cannot(ctx, 'invalid_data', `${why}: ${problem.why}`, { param })
}
