import { isDeepStrictEqual } from 'node:util'
import { checkListBytes } from '../accounts/bounds.ts'
import { OwnedResource } from '../accounts/owned-resource.ts'
import { checkCapabilities } from '../connectors/check-capabilities.ts'
import { checkRules } from '../connectors/check-rules.ts'
import type { Context } from '../context.ts'
import type { Database, Transaction } from '../db/client.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { refuseSchemas } from '../json-schema/schemas.ts'
import { checkFallbacks, checkModel } from '../account-models/account-models.ts'
import { addFirstVersion, deleteVersions } from '../versions/versions.ts'
import { refuseSameNames, schemasOfTools, withDefaults } from './caller-tools.ts'
import { defaultDefinition, definitionOf } from './definition.ts'
import type { Agent, AgentDefinition, CreateAgent, UpdateAgent } from './schema.ts'
import type { AgentForRun } from '../engine/run/definition.ts'
import { agents, findAgentsForRuns } from './store.ts'

/**
 * Agents of an account: a role with instructions, a model and capabilities, which crews of
 * workflows link by id. An agent is active or paused; a run that reaches a step of a paused agent
 * fails. Every change of its definition is a version (`versions.ts`). Requests call the operations
 * here, and workers read agents with `readAgentsForRuns` when a run freezes its definition; nothing
 * here runs an agent.
 */

/** Limit of standing agents, which the crews of workflows link by id. */
export const maxAgentsPerAccount = 1_000
const owned = new OwnedResource(agents, {
  noun: 'agent',
  plural: 'agents',
  max: maxAgentsPerAccount,
  tooMany: 'too_many_agents',
})

export async function createAgent(ctx: Context, id: string, input: CreateAgent): Promise<Agent> {
  const fields = { ...defaultDefinition, status: 'active' as const, ...input }
  await refuseOwnSchemas(ctx, fields)
  if (fields.model !== null) await checkModel(ctx, 'model', fields.model)
  await checkFallbacks(ctx, fields.fallbacks)
  await checkCapabilities(ctx, fields)
  await checkRules(ctx, fields.rules)
  const row = { id, ...normalize(fields) }
  return owned.create(ctx, row, {
    also: async (transaction, agent) => {
      await checkListBytes(ctx, transaction, 'agents', agents)
      await addFirstVersion(transaction, ctx, id, definitionOf(agent))
    },
  })
}

export function listAgents(
  ctx: Context,
  page: PageRequest,
  category: string | undefined,
): Promise<Page<Agent>> {
  return owned.list(ctx, page, { category })
}

export function retrieveAgent(ctx: Context, id: string): Promise<Agent> {
  return owned.find(ctx, id)
}

/**
 * Throws for unknown models, connectors and capabilities; those that the agent already had may
 * stay.
 */
export async function checkReferences(
  ctx: Context,
  wanted: AgentDefinition,
  before?: AgentDefinition,
): Promise<void> {
  if (wanted.model !== null && wanted.model !== before?.model) {
    await checkModel(ctx, 'model', wanted.model)
  }
  const kept = before?.fallbacks ?? []
  await checkFallbacks(
    ctx,
    wanted.fallbacks.map((id) => (kept.includes(id) ? undefined : id)),
  )
  const usesOf = ({ connectors, capabilities }: AgentDefinition) => ({ connectors, capabilities })
  if (!isDeepStrictEqual(wanted.rules, before?.rules)) await checkRules(ctx, wanted.rules)
  // The row is locked, so that connectors and capabilities are checked together as they will be
  // stored.
  if (before === undefined || !isDeepStrictEqual(usesOf(wanted), usesOf(before))) {
    await checkCapabilities(ctx, wanted)
  }
}

/**
 * Deletes an agent and its memory. Crews that link it keep their entries, which are then used
 * instead.
 */
export function deleteAgent(ctx: Context, id: string): Promise<void> {
  return owned.delete(ctx, id, (transaction) => deleteVersions(transaction, ctx, id))
}

/** Locks the agent against changes and writes to its memory. */
export function lockAgent(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<Agent | undefined> {
  return agents.find(transaction, accountId, { id }, 'for no key update')
}

/** Throws for schemas that cannot be used, and for tools with the same name. */
export async function refuseOwnSchemas(
  ctx: Context,
  { output_schema, tools }: Pick<UpdateAgent, 'output_schema' | 'tools'>,
): Promise<void> {
  refuseSameNames(ctx, tools)
  const own = { param: 'output_schema', schema: output_schema }
  await refuseSchemas(ctx, [own, ...schemasOfTools(tools)])
}

/** Fills in defaults of tools, and removes repeated ids, keeping the first of each. */
export function normalize<T extends Pick<UpdateAgent, 'connectors' | 'capabilities' | 'tools'>>(
  agent: T,
): T {
  const { connectors, capabilities, tools } = agent
  return {
    ...agent,
    ...(tools && { tools: withDefaults(tools) }),
    ...(connectors && { connectors: [...new Set(connectors)] }),
    ...(capabilities && { capabilities: [...new Set(capabilities)] }),
  }
}

/** The existing agents of the wanted ids, in any order; one query for any number. */
export async function readAgentsForRuns(
  database: Database | Transaction,
  wanted: { accountId: string; id: string }[],
): Promise<AgentForRun[]> {
  return wanted.length === 0 ? [] : findAgentsForRuns(database, wanted)
}
