import { readAgentsForRuns } from '../agents/agents.ts'
import type { Context } from '../context.ts'
import { workflows } from './store.ts'

/** All models that runs of a workflow may call, linked agents' included; empty if it was deleted. */
export async function findModelsOf(ctx: Context, id: string): Promise<Set<string>> {
  const { accountId, database } = ctx
  const workflow = await workflows.find(database, accountId, { id })
  if (workflow === undefined) return new Set()
  const { model, model_inherited: inherits, fallbacks, crew } = workflow
  const linked = [...new Set(crew.flatMap(({ agentId }) => agentId ?? []))]
  const agents = await readAgentsForRuns(
    database,
    linked.map((agentId) => ({ accountId, id: agentId })),
  )
  const own = [
    ...crew.map((entry) => entry.model),
    ...agents.flatMap((one) => [one.model, ...one.fallbacks]),
  ]
  const all = [inherits ? ctx.models.defaultModel : model, ...fallbacks, ...own]
  return new Set(all.filter((one) => one != null))
}
