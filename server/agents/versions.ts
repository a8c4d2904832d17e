import { checkListBytes, whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { cannot, notFound } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { checkIfMatch } from '../versions/etag.ts'
import type { Version, VersionDiff } from '../versions/schema.ts'
import {
  diffVersions,
  findStored,
  findVersion,
  listVersions,
  publishVersion,
  readVersionNumber,
} from '../versions/versions.ts'
import { checkReferences, lockAgent, retrieveAgent } from './agents.ts'
import { definitionOf, readDefinition } from './definition.ts'
import type { Agent, AgentDefinition, AgentVersion } from './schema.ts'
import { agents } from './store.ts'

/** The versions of an agent. */
export async function listAgentVersions(
  ctx: Context,
  id: string,
  { limit, after }: PageRequest,
): Promise<Page<Version>> {
  return listVersions(ctx, await retrieveAgent(ctx, id), { limit, after })
}

export async function retrieveAgentVersion(
  ctx: Context,
  id: string,
  version: string,
): Promise<AgentVersion> {
  const agent = await retrieveAgent(ctx, id)
  const number = readVersionNumber(ctx, id, version)
  const found = await findVersion(ctx, agent, definitionOf(agent), number)
  return { ...found, definition: readDefinition(found.definition) }
}

/** The definition of a version that a trigger names. */
export async function requireAgentVersion(
  ctx: Context,
  id: string,
  version: number,
): Promise<AgentDefinition> {
  const stored = await findStored(ctx, id, version)
  if (stored !== undefined) return readDefinition(stored)
  const agent = await retrieveAgent(ctx, id)
  if (agent.version === version) return agent
  const why = `agent_versions names version ${version} of ${id}, whose newest is ${agent.last_version}`
  throw cannot(ctx, 'unknown_version', why, { param: 'agent_versions' })
}

/** Without `to`, compares the version with the live one. */
export async function diffAgentVersions(
  ctx: Context,
  id: string,
  version: string,
  to: number | undefined,
): Promise<VersionDiff> {
  const agent = await retrieveAgent(ctx, id)
  const from = readVersionNumber(ctx, id, version)
  const range: [number, number] = [from, to ?? agent.version]
  return diffVersions(ctx, agent, definitionOf(agent), range, readDefinition)
}

/** Makes a version live: a draft or an earlier version. Everything that it refers to must exist. */
export async function publishAgentVersion(
  ctx: Context,
  id: string,
  version: string,
  ifMatch: string | undefined,
): Promise<Agent> {
  const number = readVersionNumber(ctx, id, version)
  return whileLocked(ctx, async (transaction) => {
    const before = await lockAgent(transaction, ctx.accountId, id)
    if (before === undefined) throw notFound(ctx, 'agent', id)
    checkIfMatch(ctx, ifMatch, before)
    const found = await publishVersion(transaction, ctx, before, definitionOf(before), number)
    if (found === undefined) return before
    const definition = readDefinition(found.definition)
    await checkReferences({ ...ctx, database: transaction }, definition)
    const after = await agents.update(transaction, ctx.accountId, id, {
      ...definition,
      version: number,
      last_version: found.last_version,
    })
    await recordAudit(transaction, ctx, { objectId: id, before, after })
    await checkListBytes(ctx, transaction, 'agents', agents)
    return after
  })
}
