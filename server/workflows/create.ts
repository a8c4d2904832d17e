import { checkListBytes } from '../accounts/list-bytes.ts'
import { lockAccount } from '../accounts/lock.ts'
import { recordAudit } from '../accounts/record-audit.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { checkReferences } from './check-references.ts'
import { defaultCrew, defaultHumanInTheLoop, defaultLimits } from './defaults.ts'
import { changeHumanInTheLoop } from './human-in-the-loop.ts'
import type { CreateWorkflow, CreatedWorkflow } from './schema.ts'
import { countWorkflowBytes, insertWorkflow, maxWorkflowsPerAccount } from './store.ts'

export async function createWorkflow(
  ctx: Context,
  id: string,
  input: CreateWorkflow,
): Promise<CreatedWorkflow> {
  await checkReferences(ctx, 'create workflow', input)
  const fields = {
    name: input.name,
    description: input.description ?? null,
    model: input.model ?? ctx.models.defaultModel,
    crew: input.crew ?? defaultCrew,
    human_in_the_loop: await changeHumanInTheLoop(
      ctx,
      'create workflow',
      defaultHumanInTheLoop,
      input.human_in_the_loop,
    ),
    memory_enabled: input.memory_enabled ?? true,
    limits: { ...defaultLimits, ...input.limits },
  }
  const workflow = await ctx.database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, ctx.accountId)
    const inserted = await insertWorkflow(transaction, ctx.accountId, id, fields)
    const bytes = await countWorkflowBytes(transaction, ctx.accountId)
    checkListBytes('create workflow', 'workflows', bytes)
    if (inserted !== undefined) {
      await recordAudit(transaction, ctx, { objectId: id, after: inserted })
    }
    return inserted
  })
  if (workflow === undefined) {
    throw new DomainError(
      'too_many_workflows',
      `Cannot create workflow: the account has ${maxWorkflowsPerAccount} workflows, the maximum`,
    )
  }
  return workflow
}
