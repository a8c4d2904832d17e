import { readAgentsForRuns } from '../agents/agents.ts'
import { type AgentForRun, freezeRules } from '../engine/run/definition.ts'
import { listConnectors } from '../connectors/list.ts'
import type { Context } from '../context.ts'
import { judgeCall } from '../engine/run/ledger.ts'
import { listModels } from '../account-models/account-models.ts'
import { readPolicies } from '../policies/read.ts'
import { levelsOf, rulesFor } from '../policies/rules.ts'
import type { Workflow } from './schema.ts'

type Warning = Workflow['warnings'][number]

/**
 * Current warnings about workflows, in their order: unavailable models, and actions that would be
 * refused.
 */
export async function findWarnings(ctx: Context, workflows: Workflow[]): Promise<Warning[][]> {
  const refused = await findRefusedActions(ctx, workflows)
  const named = workflows.map(({ model, fallbacks, crew }) => [
    ...new Set([model, ...fallbacks, ...crew.flatMap((entry) => entry.model ?? [])]),
  ])
  const gone = await findGoneModels(ctx, named.flat())
  return named.map((ids, place) => [
    ...ctx.models.warningsOf(ids),
    ...ids.flatMap((id) => (gone.has(id) ? goneModel(id) : [])),
    ...(refused[place] ?? []),
  ])
}

/** Models whose provider or fine-tune was removed. */
async function findGoneModels(ctx: Context, ids: string[]): Promise<Set<string>> {
  const unlisted = [...new Set(ids)].filter((id) => ctx.models.find(id) === undefined)
  if (unlisted.length === 0) return new Set()
  const tuned = new Set((await listModels(ctx)).map(({ id }) => id))
  return new Set(unlisted.filter((id) => !tuned.has(id)))
}

function goneModel(id: string): Warning {
  const message = `${id} cannot be run: its provider was removed, or its fine-tune deleted; choose another model`
  return { code: 'model_unavailable', message }
}

/** Actions that need an approval in a workflow that asks no person. */
async function findRefusedActions(ctx: Context, workflows: Workflow[]): Promise<Warning[][]> {
  const { accountId } = ctx
  const linked = workflows.flatMap(({ crew, human_in_the_loop: { enabled } }) =>
    enabled ? [] : crew.flatMap(({ agentId }) => agentId ?? []),
  )
  const own = workflows.some(({ crew, human_in_the_loop: { enabled } }) =>
    crew.some(({ capabilities = [] }) => !enabled && capabilities.length > 0),
  )
  if (linked.length === 0 && !own) return []
  const wanted = [...new Set(linked)].map((id) => ({ accountId, id }))
  const agents = new Map<string, AgentForRun>()
  for (const agent of await readAgentsForRuns(ctx.database, wanted)) agents.set(agent.id, agent)
  const uses = [...agents.values()].some(({ capabilities }) => capabilities.length > 0)
  if (!uses && !own) return []
  const [connectors, { approvals_floor: floor, rules }] = await Promise.all([
    listConnectors(ctx),
    readPolicies(ctx.reads, accountId),
  ])
  const actions = new Map(connectors.flatMap((one) => one.actions).map((one) => [one.id, one]))
  return workflows.map(({ crew, human_in_the_loop: asks }) =>
    crew.flatMap((entry, position) => {
      const { agentId } = entry
      const agent = agentId === undefined ? entry : agents.get(agentId)
      const standing = agentId === undefined ? undefined : agents.get(agentId)
      const levels = levelsOf(rules, freezeRules(standing?.rules, entry.rules))
      const refused = (agent?.capabilities ?? []).filter((tool) => {
        const { sensitive = false } = actions.get(tool) ?? {}
        const found = rulesFor(levels, tool, Date.now())
        const always = found.filter(({ when }) => when == null).map(({ decision }) => decision)
        // An action that a rule always blocks is refused on purpose.
        if (always.includes('block')) return false
        const possible = [
          ...(found.some(({ decision }) => decision === 'allow') ? ['allow' as const] : []),
          always.length > 0 ? ('ask' as const) : undefined,
        ]
        return possible.every(
          (one) => judgeCall({ tool, sensitive }, asks, floor, one) === 'refuse',
        )
      })
      if (agent === undefined || refused.length === 0) return []
      const message =
        `crew[${position}] (${agent.role}): ${refused.join(', ')} will be refused, as an approval is needed ` +
        'and human_in_the_loop.enabled is false'
      return [{ code: 'action_refused' as const, message }]
    }),
  )
}
