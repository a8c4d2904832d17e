import { whileLocked } from '../accounts/bounds.ts'
import type { Context } from '../context.ts'
import { cannot, notFound } from '../errors.ts'
import { VersionedResource } from '../versions/versioned-resource.ts'
import { findStored, recordLive } from '../versions/versions.ts'
import { definitionOf, readDefinition } from './definition.ts'
import { changeExposure } from './exposure.ts'
import { changeHumanInTheLoop } from './human-in-the-loop.ts'
import type { Workflow, WorkflowDefinition } from './schema.ts'
import { workflows } from './store.ts'
import { changeModel, checkReferences, lockWorkflow, show } from './workflows.ts'

/** The versions of workflows. */
export const workflowVersions = new VersionedResource<Workflow, WorkflowDefinition>({
  noun: 'workflow',
  plural: 'workflows',
  table: workflows,
  lock: (transaction, accountId, id) => lockWorkflow(transaction, accountId, id, 'for update'),
  definitionOf,
  readDefinition,
  check: checkReferences,
  show,
  toFields: async (ctx, { model, ...rest }, before) => ({
    ...rest,
    ...changeModel(ctx, { model, model_inherited: model === null }, before),
    human_in_the_loop: await changeHumanInTheLoop(
      ctx,
      before.human_in_the_loop,
      rest.human_in_the_loop,
    ),
    expose_mcp: await changeExposure(ctx, { ...before, ...rest }, rest.expose_mcp),
  }),
})

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
