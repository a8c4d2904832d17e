import { readAgentsForRuns } from '../agents/agents.ts'
import { toStoredTools } from '../agents/caller-tools.ts'
import { requireAgentVersion } from '../agents/versions.ts'
import type { Context } from '../context.ts'
import { readVersions } from '../engine/journal/definitions.ts'
import { defineRun, type AgentForRun, type Definition } from '../engine/run/definition.ts'
import { cannot, notFound } from '../errors.ts'

/**
 * Freezes a run that tests versions of agents, such as drafts, with a version of its workflow whose
 * crew links these agents. This happens when the run is triggered; other runs are frozen when they
 * start.
 */
export async function freezeDrafts(
  ctx: Context,
  { workflowId, version }: { workflowId: string; version: number },
  agentVersions: Record<string, number>,
): Promise<Definition> {
  const { accountId, database } = ctx
  const [workflow] = await readVersions(database, [{ accountId, id: workflowId, version }])
  if (workflow === undefined) throw notFound(ctx, 'workflow', workflowId)
  const linked = workflow.crew.flatMap(({ agentId: id }) =>
    id === undefined ? [] : [{ accountId, id }],
  )
  const agents = await readAgentsForRuns(database, linked)
  const stray = Object.keys(agentVersions).find((id) => !agents.some((agent) => agent.id === id))
  if (stray !== undefined) {
    const why = `agent_versions names ${stray}, which is no agent of the crew`
    throw cannot(ctx, 'invalid_value', why, { param: 'agent_versions' })
  }
  const chosen = await Promise.all(agents.map((agent) => toVersion(ctx, agent, agentVersions)))
  const model = workflow.modelInherited ? ctx.models.defaultModel : workflow.model
  return defineRun({ ...workflow, model }, chosen)
}

async function toVersion(
  ctx: Context,
  agent: AgentForRun,
  { [agent.id]: version }: Record<string, number>,
): Promise<AgentForRun> {
  if (version === undefined) return agent
  const definition = await requireAgentVersion(ctx, agent.id, version)
  const { role, systemPrompt, model, fallbacks, maxTokens, capabilities, tools, rules } = definition
  const { memory_enabled: memoryEnabled, output_schema: schema } = definition
  return {
    ...agent,
    version,
    role,
    systemPrompt,
    model,
    fallbacks,
    maxTokens,
    capabilities,
    tools: toStoredTools(tools),
    rules,
    memoryEnabled,
    outputSchema: schema === null ? null : JSON.stringify(schema),
  }
}
