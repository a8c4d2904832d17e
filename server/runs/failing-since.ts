import type { Context } from '../context.ts'
import { readRegression } from '../engine/reads/forks.ts'
import type { RunWithSteps } from '../engine/wire/run.ts'

/** For a failed run: the workflow version that fails since an earlier one worked; else null. */
export async function findFailingSince(
  ctx: Context,
  {
    status,
    error_code: code,
    workflow_id: workflowId,
    created_at: createdAt,
  }: Pick<RunWithSteps, 'status' | 'error_code' | 'workflow_id' | 'created_at'>,
): Promise<RunWithSteps['failing_since']> {
  if (status !== 'failed' || code === 'cancelled') return null
  const found = await readRegression(ctx.reads, ctx.accountId, { workflowId, createdAt })
  if (found === undefined) return null
  const { worked, failed } = found
  if (worked.version === null || failed.version === null) return null
  if (worked.version === failed.version) return null
  return {
    version: failed.version,
    last_worked_version: worked.version,
    last_worked_run_id: worked.id,
    diff: `/v1/workflows/${workflowId}/versions/${worked.version}/diff?to=${failed.version}`,
  }
}
