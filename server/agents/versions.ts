import type { Context } from '../context.ts'
import { parseRules } from '../connectors/check-rules.ts'
import { cannot } from '../errors.ts'
import { VersionedResource } from '../versions/versioned-resource.ts'
import { findStored, refuseStatusOfDraft } from '../versions/versions.ts'
import { checkReferences, lockAgent, normalize, refuseOwnSchemas } from './agents.ts'
import { definitionOf, readDefinition } from './definition.ts'
import type { Agent, AgentDefinition, UpdateAgent } from './schema.ts'
import { agents } from './store.ts'

/** The versions of agents. */
export const agentVersions = new VersionedResource<Agent, AgentDefinition>({
  noun: 'agent',
  plural: 'agents',
  table: agents,
  lock: lockAgent,
  definitionOf,
  readDefinition,
  check: checkReferences,
  toFields: (_, definition) => definition,
})

/** Changes the given fields, which makes a version; linked workflows see it with their next run. */
export async function updateAgent(
  ctx: Context,
  id: string,
  { draft, note, ...input }: UpdateAgent,
  ifMatch: string | undefined,
): Promise<Agent> {
  refuseStatusOfDraft(ctx, { draft, status: input.status })
  // Compiled before the transaction, as that may take seconds.
  await refuseOwnSchemas(ctx, input)
  await parseRules(ctx, input.rules)
  return agentVersions.update(ctx, id, { ifMatch, draft, note }, async (inside, before) => {
    await checkReferences(inside, { ...before, ...input }, before)
    return normalize(input)
  })
}

/** The definition of a version that a trigger names. */
export async function requireAgentVersion(
  ctx: Context,
  id: string,
  version: number,
): Promise<AgentDefinition> {
  const stored = await findStored(ctx, id, version)
  if (stored !== undefined) return readDefinition(stored)
  const agent = await agentVersions.find(ctx, id)
  if (agent.version === version) return agent
  const why = `agent_versions names version ${version} of ${id}, whose newest is ${agent.last_version}`
  throw cannot(ctx, 'unknown_version', why, { param: 'agent_versions' })
}
