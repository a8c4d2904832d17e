import { isDeepStrictEqual } from 'node:util'
import { checkListBytes, isLarger } from '../accounts/list-bytes.ts'
import { whileLocked } from '../accounts/lock.ts'
import { recordAudit } from '../audit/record.ts'
import { checkCapabilities } from '../connectors/check-capabilities.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { notFound, tooMany } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { refuseSchema } from '../json-schema/check-schema.ts'
import { checkFallbacks, checkModel } from '../account-models/tuned.ts'
import { checkIfMatch } from '../versions/etag.ts'
import {
  addFirstVersion,
  addVersion,
  deleteVersions,
  refuseStatusOfDraft,
} from '../versions/versions.ts'
import { defaultDefinition, definitionOf } from './definition.ts'
import type { Agent, AgentDefinition, CreateAgent, UpdateAgent } from './schema.ts'
import { agents } from './store.ts'

/** Standing agents: crews of any workflow name them by id. */
export const maxAgentsPerAccount = 1_000

export async function createAgent(ctx: Context, id: string, input: CreateAgent): Promise<Agent> {
  const fields = { ...defaultDefinition, status: 'active' as const, ...input }
  refuseSchema(ctx, 'output_schema', fields.output_schema)
  if (fields.model !== null) await checkModel(ctx, 'model', fields.model)
  await checkFallbacks(ctx, fields.fallbacks)
  await checkCapabilities(ctx, fields)
  return whileLocked(ctx, async (transaction) => {
    const row = { id, ...withoutRepeats(fields) }
    const agent = await agents.insert(transaction, ctx.accountId, row, maxAgentsPerAccount)
    if (agent === undefined) throw tooMany(ctx, 'too_many_agents', maxAgentsPerAccount, 'agents')
    await checkListBytes(ctx, transaction, 'agents', agents)
    await addFirstVersion(transaction, ctx, id, definitionOf(agent))
    await recordAudit(transaction, ctx, { objectId: id, after: agent })
    return agent
  })
}

/** All of them where no limit is given. */
export function listAgents(
  ctx: Context,
  { limit = maxAgentsPerAccount, after }: PageRequest,
  category: string | undefined,
): Promise<Page<Agent>> {
  return agents.list(ctx.reads, ctx.accountId, { limit, after }, { category })
}

export async function retrieveAgent(ctx: Context, id: string): Promise<Agent> {
  const agent = await agents.find(ctx.database, ctx.accountId, { id })
  if (agent === undefined) throw notFound(ctx, 'agent', id)
  return agent
}

/** Changes the given fields, which makes a version; linked workflows see it with their next run. */
export async function updateAgent(
  ctx: Context,
  id: string,
  { draft, note, ...input }: UpdateAgent,
  ifMatch: string | undefined,
): Promise<Agent> {
  refuseStatusOfDraft(ctx, { draft, status: input.status })
  refuseSchema(ctx, 'output_schema', input.output_schema)
  return whileLocked(ctx, async (transaction) => {
    const before = await lockAgent(transaction, ctx.accountId, id)
    if (before === undefined) throw notFound(ctx, 'agent', id)
    checkIfMatch(ctx, ifMatch, before)
    await checkReferences({ ...ctx, database: transaction }, { ...before, ...input }, before)
    const change = withoutRepeats(input)
    const definition = definitionOf({ ...before, ...change })
    const versions = await addVersion(
      transaction,
      ctx,
      before,
      { before: definitionOf(before), after: definition },
      { draft, note },
    )
    const isDraft = draft === true
    const row = { ...(isDraft ? {} : change), ...versions }
    const after = await agents.update(transaction, ctx.accountId, id, row)
    await recordAudit(transaction, ctx, {
      objectId: id,
      before,
      after: isDraft ? { ...after, ...definition } : after,
      ...(isDraft && { action: 'agent.drafted' }),
    })
    if (isLarger(after, before)) await checkListBytes(ctx, transaction, 'agents', agents)
    return after
  })
}

/** Refuses models, connectors and capabilities that are not there; what the agent had before may stay. */
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
  // The two must fit each other as they will be, so the row is locked meanwhile.
  if (before === undefined || !isDeepStrictEqual(usesOf(wanted), usesOf(before))) {
    await checkCapabilities(ctx, wanted)
  }
}

/** Deletes an agent and its memory. Crews that name it keep their entries and run from these. */
export async function deleteAgent(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    const before = await agents.delete(transaction, ctx.accountId, { id })
    if (before === undefined) throw notFound(ctx, 'agent', id)
    await deleteVersions(transaction, ctx, id)
    await recordAudit(transaction, ctx, { objectId: id, before })
  })
}

/** Locks the agent: other transactions wait before they change it or write its memory. */
export function lockAgent(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<Agent | undefined> {
  return agents.find(transaction, accountId, { id }, 'for no key update')
}

/** An id that is named twice counts once, where it stands first. */
function withoutRepeats<T extends { connectors?: string[]; capabilities?: string[] }>(agent: T): T {
  const { connectors, capabilities } = agent
  return {
    ...agent,
    ...(connectors && { connectors: [...new Set(connectors)] }),
    ...(capabilities && { capabilities: [...new Set(capabilities)] }),
  }
}
