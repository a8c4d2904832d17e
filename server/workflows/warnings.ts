import { readAgentsForRuns } from '../agents/agents.ts'
import { type AgentForRun, freezeRules } from '../engine/run/definition.ts'
import { listConnectors } from '../connectors/list.ts'
import { splitCapability } from '../connectors/open-tools.ts'
import type { Context } from '../context.ts'
import { judgeCall } from '../engine/run/ledger.ts'
import { listModels } from '../account-models/account-models.ts'
import { readPolicies } from '../policies/read.ts'
import { levelsOf, rulesFor } from '../policies/rules.ts'
import { findPlaceholders, placeholderWarning } from './placeholders.ts'
import { callerAction } from '../tools/caller-tools.ts'
import type { Workflow } from './schema.ts'

type Warning = Workflow['warnings'][number]

/**
 * Current warnings about workflows, in their order: unavailable models, placeholders of a template,
 * and actions that cannot be called or would be refused.
 */
export async function findWarnings(ctx: Context, workflows: Workflow[]): Promise<Warning[][]> {
  const ofActions = await findActionWarnings(ctx, workflows)
  const named = workflows.map(({ model, fallbacks, crew }) => [
    ...new Set([model, ...fallbacks, ...crew.flatMap((entry) => entry.model ?? [])]),
  ])
  const gone = await findGoneModels(ctx, named.flat())
  return named.map((ids, place) => [
    ...ctx.models.warningsOf(ids),
    ...ids.flatMap((id) => (gone.has(id) ? goneModel(id) : [])),
    ...placeholderWarning(findPlaceholders(workflows[place]?.crew), 'the crew'),
    ...(ofActions[place] ?? []),
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

type Uses = Pick<Workflow['crew'][number], 'capabilities'> & {
  tools?: readonly unknown[] | undefined
}

/** What agents may do in workflows, and cannot: actions to call, or to call without approval. */
async function findActionWarnings(ctx: Context, workflows: Workflow[]): Promise<Warning[][]> {
  const { accountId } = ctx
  const crews = workflows.flatMap(({ crew }) => crew)
  const linked = crews.flatMap(({ agentId }) => agentId ?? [])
  const hasActions = ({ capabilities = [], tools = [] }: Uses): boolean =>
    capabilities.length + tools.length > 0
  const own = crews.some(hasActions)
  if (linked.length === 0 && !own) return []
  const wanted = [...new Set(linked)].map((id) => ({ accountId, id }))
  const agents = new Map<string, AgentForRun>()
  for (const agent of await readAgentsForRuns(ctx.database, wanted)) agents.set(agent.id, agent)
  const uses = [...agents.values()].some(hasActions)
  if (!uses && !own) return []
  const [connectors, { approvals_floor: floor, rules }] = await Promise.all([
    listConnectors(ctx),
    readPolicies(ctx.reads, accountId),
  ])
  const actions = new Map(connectors.flatMap((one) => one.actions).map((one) => [one.id, one]))
  const byId = new Map(connectors.map((one) => [one.id, one]))
  const whyUnavailable = (tool: string): string | undefined => {
    const action = actions.get(tool)
    if (action !== undefined) return action.unavailable ?? undefined
    const { connector } = splitCapability(tool)
    const found = byId.get(connector)
    if (found === undefined) return `${connector} is not connected: an admin must connect it first`
    return found.state === 'needs_login'
      ? `${found.label} needs a login`
      : `${found.label} does not offer ${tool}`
  }
  return workflows.map(({ crew, human_in_the_loop: asks }) => {
    const agentOf = ({ agentId, ...entry }: (typeof crew)[number]) =>
      agentId === undefined ? entry : agents.get(agentId)
    const refused = crew.flatMap((entry, position) => {
      const { agentId } = entry
      const agent = agentOf(entry)
      const standing = agentId === undefined ? undefined : agents.get(agentId)
      const levels = levelsOf(rules, freezeRules(standing?.rules, entry.rules))
      const wanted = [
        ...(agent?.capabilities ?? []).map((id) => ({ id, ...actions.get(id) })),
        ...(agent?.tools ?? []).map(({ name, ...tool }) => ({ ...tool, id: callerAction(name) })),
      ]
      const tools = wanted.flatMap(({ id: tool, sensitive = false }) => {
        const found = rulesFor(levels, tool, Date.now())
        const always = found.filter(({ when }) => when == null).map(({ decision }) => decision)
        // An action that a rule always blocks is refused on purpose.
        if (always.includes('block')) return []
        const possible = [
          ...(found.some(({ decision }) => decision === 'allow') ? ['allow' as const] : []),
          always.length > 0 ? ('ask' as const) : undefined,
        ]
        const isRefused = possible.every(
          (one) => judgeCall({ tool, sensitive }, asks, floor, one) === 'refuse',
        )
        return isRefused ? [tool] : []
      })
      if (agent === undefined || tools.length === 0) return []
      const message =
        `crew[${position}] (${agent.role}): ${tools.join(', ')} will be refused, as an approval is needed ` +
        'and human_in_the_loop.enabled is false'
      return [{ code: 'action_refused' as const, message }]
    })
    const tools = new Set(crew.flatMap((entry) => agentOf(entry)?.capabilities ?? []))
    const reasons = Map.groupBy(tools, whyUnavailable)
    const unavailable = [...reasons].flatMap(([why, affected]) =>
      why === undefined
        ? []
        : [
            {
              code: 'action_unavailable' as const,
              message: `${why} (${affected.join(', ')})`,
            },
          ],
    )
    return [...unavailable, ...refused]
  })
}
