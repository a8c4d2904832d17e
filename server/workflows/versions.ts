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
  recordLive,
} from '../versions/versions.ts'
import { definitionOf, readDefinition } from './definition.ts'
import { changeHumanInTheLoop } from './human-in-the-loop.ts'
import type { Workflow, WorkflowDefinition, WorkflowVersion } from './schema.ts'
import { workflows } from './store.ts'
import { changeModel, checkReferences, lockWorkflow, show } from './workflows.ts'

/** The versions of a workflow. */
export async function listWorkflowVersions(
  ctx: Context,
  id: string,
  { limit, after }: PageRequest,
): Promise<Page<Version>> {
  return listVersions(ctx, await find(ctx, id), { limit, after })
}

export async function retrieveWorkflowVersion(
  ctx: Context,
  id: string,
  version: string,
): Promise<WorkflowVersion> {
  const workflow = await find(ctx, id)
  const number = readVersionNumber(ctx, id, version)
  const found = await findVersion(ctx, workflow, definitionOf(workflow), number)
  return { ...found, definition: readDefinition(found.definition) }
}

/** Without `to`, compares the version with the live one. */
export async function diffWorkflowVersions(
  ctx: Context,
  id: string,
  version: string,
  to: number | undefined,
): Promise<VersionDiff> {
  const workflow = await find(ctx, id)
  const from = readVersionNumber(ctx, id, version)
  const range: [number, number] = [from, to ?? workflow.version]
  return diffVersions(ctx, workflow, definitionOf(workflow), range, readDefinition)
}

/** Makes a version live: a draft or an earlier version. Everything that it refers to must exist. */
export async function publishWorkflowVersion(
  ctx: Context,
  id: string,
  version: string,
  ifMatch: string | undefined,
): Promise<Workflow> {
  const number = readVersionNumber(ctx, id, version)
  return whileLocked(ctx, async (transaction) => {
    const stored = await lockWorkflow(transaction, ctx.accountId, id, 'for update')
    if (stored === undefined) throw notFound(ctx, 'workflow', id)
    checkIfMatch(ctx, ifMatch, stored)
    const inside = { ...ctx, database: transaction }
    const before = await show(inside, stored)
    const live = definitionOf(before)
    const found = await publishVersion(transaction, ctx, stored, live, number)
    if (found === undefined) return before
    const definition = readDefinition(found.definition)
    await checkReferences(inside, definition)
    const { model, ...rest } = definition
    const changed = await workflows.update(transaction, ctx.accountId, id, {
      ...rest,
      ...changeModel(ctx, { model, model_inherited: model === null }, before),
      human_in_the_loop: await changeHumanInTheLoop(
        inside,
        before.human_in_the_loop,
        definition.human_in_the_loop,
      ),
      version: number,
      last_version: found.last_version,
    })
    const after = await show(inside, changed)
    await recordAudit(transaction, ctx, { objectId: id, before, after })
    await checkListBytes(ctx, transaction, 'workflows', workflows)
    return after
  })
}

/**
 * The definition of a version that a trigger names; stores the live version if it was not stored
 * yet.
 */
export async function requireWorkflowVersion(
  ctx: Context,
  id: string,
  version: number,
): Promise<WorkflowDefinition> {
  const stored = await findStored(ctx, id, version)
  if (stored !== undefined) return readDefinition(stored)
  const live = await recordWorkflow(ctx, id)
  if (live.version === version) return readDefinition(definitionOf(live))
  const why = `version is ${version}, which ${id} does not have; its newest is ${live.last_version}`
  throw cannot(ctx, 'unknown_version', why, { param: 'version' })
}

/** Stores the live version of a workflow that an older process changed last. */
async function recordWorkflow(ctx: Context, id: string): Promise<Workflow> {
  return whileLocked(ctx, async (transaction) => {
    const row = await lockWorkflow(transaction, ctx.accountId, id, 'for update')
    if (row === undefined) throw notFound(ctx, 'workflow', id)
    const versions = await recordLive(transaction, ctx, row, definitionOf(row))
    if (versions.version === row.version) return row
    return workflows.update(transaction, ctx.accountId, id, versions)
  })
}

async function find(ctx: Context, id: string): Promise<Workflow> {
  const workflow = await workflows.find(ctx.database, ctx.accountId, { id })
  if (workflow === undefined) throw notFound(ctx, 'workflow', id)
  return workflow
}
