import { whileLocked } from '../accounts/bounds.ts'
import type { Context } from '../context.ts'
import { cannot, notFound } from '../errors.ts'
import { VersionedResource } from '../versions/versioned-resource.ts'
import { findStored, recordLive, refuseStatusOfDraft } from '../versions/versions.ts'
import { definitionOf, readDefinition, readThread } from './definition.ts'
import { changeExposure } from './exposure.ts'
import { changeHumanInTheLoop } from './human-in-the-loop.ts'
import type { UpdateWorkflow, Workflow, WorkflowDefinition } from './schema.ts'
import { workflows } from './store.ts'
import {
  changeModel,
  checkReferences,
  compileParts,
  lockWorkflow,
  normalizeCrew,
  show,
  type ChangedModel,
} from './workflows.ts'

/** The versions of workflows. */
export const workflowVersions = new VersionedResource<Workflow, WorkflowDefinition>({
  noun: 'workflow',
  plural: 'workflows',
  table: workflows,
  lock: (transaction, accountId, id) => lockWorkflow(transaction, accountId, id, 'for update'),
  // A changed row has the column that the API shows as `model_inherited`.
  definitionOf: ({ inherited_model: inherited, ...row }: Workflow & ChangedModel) =>
    definitionOf(inherited === undefined ? row : { ...row, model_inherited: inherited !== null }),
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
 * Changes the given fields, which creates a version; saving a draft leaves the workflow unchanged.
 * Runs that have started keep their frozen definition.
 */
export async function updateWorkflow(
  ctx: Context,
  id: string,
  input: UpdateWorkflow,
  ifMatch: string | undefined,
): Promise<Workflow> {
  refuseStatusOfDraft(ctx, input)
  await compileParts(ctx, input)
  const { model: _, model_inherited: __, thread: ___, draft, note, ...rest } = input
  return workflowVersions.update(ctx, id, { ifMatch, draft, note }, async (inside, before) => {
    await checkReferences(inside, input, before)
    return {
      ...rest,
      ...normalizeCrew(input),
      ...readThread(input),
      ...changeModel(ctx, input, before),
      human_in_the_loop: await changeHumanInTheLoop(
        inside,
        before.human_in_the_loop,
        input.human_in_the_loop,
      ),
      limits: { ...before.limits, ...input.limits },
      expose_mcp: await changeExposure(
        inside,
        { ...before, ...rest, expose_mcp: before.expose_mcp },
        input.expose_mcp,
      ),
    }
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
