import { readAgentsForRuns } from '../agents/read-for-runs.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { checkModel } from '../fine-tunes/check-model.ts'
import type { CrewEntry } from './schema.ts'

/** Refuses models that cannot be routed and agents that are not of this account. */
export async function checkReferences(
  ctx: Context,
  action: string,
  { model, crew = [] }: { model?: string; crew?: CrewEntry[] },
): Promise<void> {
  if (model !== undefined) await checkModel(ctx, action, 'model', model)
  for (const [index, entry] of crew.entries()) {
    if (entry.model !== undefined)
      await checkModel(ctx, action, `crew[${index}].model`, entry.model)
  }
  await checkAgents(ctx, action, crew)
}

async function checkAgents(ctx: Context, action: string, crew: CrewEntry[]): Promise<void> {
  const wanted = crew.flatMap(({ agentId: id }) =>
    id === undefined ? [] : [{ accountId: ctx.accountId, id }],
  )
  const found = new Set((await readAgentsForRuns(ctx.database, wanted)).map(({ id }) => id))
  const index = crew.findIndex(({ agentId }) => agentId !== undefined && !found.has(agentId))
  if (index === -1) return
  const param = `crew[${index}].agentId`
  throw new DomainError(
    'unknown_agent',
    `Cannot ${action}: ${param} is ${crew[index]?.agentId}, not an agent of this account`,
    { param },
  )
}
