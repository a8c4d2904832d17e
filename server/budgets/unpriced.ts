import { listModels } from '../account-models/account-models.ts'
import { readAgentsForRuns } from '../agents/agents.ts'
import type { Context } from '../context.ts'
import { demoModel } from '../models/demo.ts'
import { findModelsOf } from '../workflows/models-of.ts'
import { isUnpriced } from '../models/turn.ts'
import type { Budget } from './schema.ts'

type Warnings = Budget['warnings']

/**
 * Warnings of budgets about models without a price, whose calls they do not count: those that a
 * budget's workflow or agent uses, and for the account or a tag all that can be run.
 */
export async function findUnpriced(
  ctx: Context,
  budgets: Pick<Budget, 'scope' | 'scope_value'>[],
): Promise<Warnings[]> {
  if (budgets.length === 0) return []
  const unpriced = (await listModels(ctx)).filter(
    (model) => model.available && model.id !== demoModel.id && isUnpriced(model),
  )
  const ids = unpriced.map(({ id }) => id)
  if (ids.length === 0) return budgets.map(() => [])
  return Promise.all(
    budgets.map(async (budget) => {
      const used = await modelsOf(ctx, budget)
      return toWarnings(used === undefined ? ids : ids.filter((id) => used.has(id)))
    }),
  )
}

/** The models of a workflow or an agent; undefined for other scopes. */
async function modelsOf(
  ctx: Context,
  { scope, scope_value: id }: Pick<Budget, 'scope' | 'scope_value'>,
): Promise<Set<string> | undefined> {
  if (id === null || scope === 'account' || scope === 'tag' || scope === 'thread') return undefined
  if (scope === 'workflow') return findModelsOf(ctx, id)
  const [agent] = await readAgentsForRuns(ctx.database, [{ accountId: ctx.accountId, id }])
  // An agent without a model of its own uses those of its workflows.
  return agent?.model == null ? undefined : new Set([agent.model, ...agent.fallbacks])
}

const mostNamed = 5

function toWarnings(ids: string[]): Warnings {
  if (ids.length === 0) return []
  const named = ids.slice(0, mostNamed).join(', ')
  const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ''
  const message = `${named}${more} ${ids.length === 1 ? 'has' : 'have'} no price, so calls are not counted`
  return [{ code: 'price_unknown', message }]
}
