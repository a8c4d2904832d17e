import { checkListBytes, whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import { readAgentsForRuns } from '../agents/agents.ts'
import { refuseSameNames, schemasOfTools, withDefaults } from '../agents/caller-tools.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import type { RowLock } from '../db/owned-table.ts'
import { cannot, notFound, tooMany } from '../errors.ts'
import { checkFallbacks, checkModel } from '../account-models/account-models.ts'
import { isDeepStrictEqual } from 'node:util'
import { checkCapabilities } from '../connectors/check-capabilities.ts'
import { checkRules, parseRules } from '../connectors/check-rules.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { refuseSchemas } from '../json-schema/schemas.ts'
import { addFirstVersion, deleteVersions } from '../versions/versions.ts'
import {
  defaultDefinition,
  defaultHumanInTheLoop,
  defaultLimits,
  definitionOf,
  readThread,
} from './definition.ts'
import { changeExposure } from './exposure.ts'
import { changeHumanInTheLoop } from './human-in-the-loop.ts'
import type { CreateWorkflow, CrewEntry, UpdateWorkflow, Workflow } from './schema.ts'
import { workflows } from './store.ts'
import { findWarnings } from './warnings.ts'
import { hasOpenRuns } from '../engine/reads/events.ts'

/**
 * Workflows of an account: a crew with its models, limits, input schema and rules for people. A
 * workflow is active or paused; a paused one accepts no new runs. Every change of its definition is
 * a version, live or a draft (`versions.ts`). A run keeps the definition that it froze when it was
 * taken, so a change here affects only later runs. A workflow with unfinished runs cannot be
 * deleted.
 */

/** Bounds the account's list of all workflows. */
export const maxWorkflowsPerAccount = 1_000

export async function createWorkflow(
  ctx: Context,
  id: string,
  input: CreateWorkflow,
): Promise<Workflow> {
  await checkReferences(ctx, input)
  const { model: _, thread: __, ...rest } = input
  const fields = {
    ...defaultDefinition,
    ...rest,
    ...normalizeCrew(input),
    ...readThread(input),
    ...changeModel(ctx, input),
    human_in_the_loop: await changeHumanInTheLoop(
      ctx,
      defaultHumanInTheLoop,
      input.human_in_the_loop,
    ),
    limits: { ...defaultLimits, ...input.limits },
  }
  return whileLocked(ctx, async (transaction) => {
    const shown = { id, name: input.name, input_schema: fields.input_schema }
    const expose_mcp = await changeExposure(
      { ...ctx, database: transaction },
      { ...shown, expose_mcp: null },
      input.expose_mcp,
    )
    const row = { id, ...fields, expose_mcp }
    const made = await workflows.insert(transaction, ctx.accountId, row, maxWorkflowsPerAccount)
    if (made === undefined)
      throw tooMany(ctx, 'too_many_workflows', maxWorkflowsPerAccount, 'workflows')
    const workflow = await show({ ...ctx, database: transaction }, made)
    await checkListBytes(ctx, transaction, 'workflows', workflows)
    await addFirstVersion(transaction, ctx, id, definitionOf(workflow))
    await recordAudit(transaction, ctx, { objectId: id, after: workflow })
    return workflow
  })
}

/** Most recently updated first; all of them if no limit is given. */
export async function listWorkflows(
  ctx: Context,
  { limit = maxWorkflowsPerAccount, after }: PageRequest,
): Promise<Page<Workflow>> {
  const { items, next } = await workflows.list(ctx.reads, ctx.accountId, { limit, after })
  return { items: await showAll(ctx, items), next }
}

export async function retrieveWorkflow(ctx: Context, id: string): Promise<Workflow> {
  return show(ctx, await requireWorkflow(ctx, id))
}

/** The workflow as it is stored: without the default model that it inherits, and without warnings. */
export async function requireWorkflow(ctx: Context, id: string): Promise<Workflow> {
  const workflow = await workflows.find(ctx.database, ctx.accountId, { id })
  if (workflow === undefined) throw notFound(ctx, 'workflow', id)
  return workflow
}

/** The stored workflow that a field names. Throws if it does not exist in the account. */
export async function checkWorkflow(
  ctx: Pick<Context, 'database' | 'accountId' | 'action'>,
  id: string,
  param = 'workflow_id',
): Promise<Workflow> {
  const workflow = await workflows.find(ctx.database, ctx.accountId, { id })
  if (workflow !== undefined) return workflow
  const why = `${param} is ${id}, not a workflow of this account`
  throw cannot(ctx, 'unknown_workflow', why, { param })
}

/** The crew, if it is given, with defaults of its tools. */
export function normalizeCrew({
  crew,
}: Pick<UpdateWorkflow, 'crew'>): Pick<UpdateWorkflow, 'crew'> {
  if (crew === undefined) return {}
  return {
    crew: crew.map(({ tools, ...entry }) =>
      tools === undefined ? entry : { ...entry, tools: withDefaults(tools) },
    ),
  }
}

export async function show(ctx: Context, workflow: Workflow): Promise<Workflow> {
  return (await showAll(ctx, [workflow]))[0] as Workflow
}

/** Workflows as the API shows them, with their current model and warnings. */
async function showAll(ctx: Context, stored: Workflow[]): Promise<Workflow[]> {
  const all = stored.map((workflow) =>
    workflow.model_inherited ? { ...workflow, model: ctx.models.defaultModel } : workflow,
  )
  const warnings = await findWarnings(ctx, all)
  return all.map((workflow, place) => ({ ...workflow, warnings: warnings[place] ?? [] }))
}

/** What workflows still need before their runs can do their work, by workflow id. */
export async function findNeeds(
  ctx: Context,
  ids: readonly string[],
): Promise<Map<string, Workflow['warnings']>> {
  const stored = await workflows.findAll(ctx.database, ctx.accountId, [...new Set(ids)])
  const shown = await showAll(ctx, stored)
  return new Map(
    shown.map(({ id, warnings }) => [id, warnings.filter(({ code }) => needs.has(code))]),
  )
}

const needs = new Set<Workflow['warnings'][number]['code']>([
  'action_unavailable',
  'model_unavailable',
  'placeholder_left',
])

export interface ChangedModel {
  model?: string
  inherited_model?: string | null
}

/** The stored fields for a given or inherited model. */
export function changeModel(
  { models }: Context,
  { model, model_inherited: inherits }: UpdateWorkflow,
  before?: Workflow,
): ChangedModel {
  const isLeftOut = model === undefined && before === undefined
  if (inherits === true || model === null || isLeftOut) {
    return { model: models.defaultModel, inherited_model: models.defaultModel }
  }
  const own = model ?? before?.model
  // A workflow may be sent back as it was read: the same model id does not end its inheritance.
  const isSame = model === undefined || (before?.model_inherited === true && model === before.model)
  if (own === undefined || (isSame && inherits !== false)) return {}
  return { model: own, inherited_model: null }
}

/** Deletes a workflow whose runs have all ended; the runs stay readable by id. */
export async function deleteWorkflow(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    // The lock prevents new runs until the transaction ends.
    const before = await lockWorkflow(transaction, ctx.accountId, id, 'for update')
    if (before === undefined) throw notFound(ctx, 'workflow', id)
    if (await hasOpenRuns(transaction, ctx.accountId, id)) {
      throw cannot(ctx, 'workflow_in_use', 'it has runs that are not finished, cancel them first')
    }
    await workflows.delete(transaction, ctx.accountId, { id })
    await deleteVersions(transaction, ctx, id)
    await recordAudit(transaction, ctx, { objectId: id, before })
  })
}

/**
 * Locks a workflow until the transaction ends. `for update` blocks everything that locks it. `for
 * no key update` blocks changes, deletion and writes to its memory, but not new runs. `for key
 * share` blocks changes of the key and deletion.
 */
export function lockWorkflow(
  transaction: Transaction,
  accountId: string,
  id: string,
  lock: RowLock,
): Promise<Workflow | undefined> {
  return workflows.find(transaction, accountId, { id }, lock)
}

/**
 * Throws for schemas and conditions that cannot be used. They are remembered, so an update does this before its
 * transaction too, as it may take seconds.
 */
export async function compileParts(
  ctx: Context,
  { crew = [], input_schema }: Partial<Pick<UpdateWorkflow, 'crew' | 'input_schema'>>,
): Promise<void> {
  await refuseSchemas(ctx, [
    { param: 'input_schema', schema: input_schema },
    ...crew.map(({ output_schema: schema }, index) => ({
      param: `crew[${index}].output_schema`,
      schema,
    })),
    ...crew.flatMap(({ tools }, index) => schemasOfTools(tools, `crew[${index}].`)),
  ])
  for (const [index, { tools }] of crew.entries()) refuseSameNames(ctx, tools, `crew[${index}].`)
  for (const [index, { rules }] of crew.entries()) {
    await parseRules(ctx, rules, `crew[${index}].rules`)
  }
}

/**
 * Throws for models that cannot be routed, agents of other accounts and invalid schemas. Models and
 * agents that the workflow already had may stay although they no longer exist, so that a workflow
 * can be sent back as it was read.
 */
export async function checkReferences(
  ctx: Context,
  {
    model,
    fallbacks = [],
    crew = [],
    input_schema,
    thread,
  }: Pick<UpdateWorkflow, 'model' | 'fallbacks' | 'crew' | 'input_schema' | 'thread'>,
  before?: Workflow,
): Promise<void> {
  const models = new Set([
    before?.model,
    before?.thread?.summary_model,
    ...(before?.fallbacks ?? []),
    ...(before?.crew ?? []).map((entry) => entry.model),
  ])
  const agents = new Set(before?.crew.map(({ agentId }) => agentId))
  const tools = (before?.crew ?? []).map(toolsOf)
  if (model != null && !models.has(model)) await checkModel(ctx, 'model', model)
  const summaryModel = thread?.summary_model
  if (summaryModel != null && !models.has(summaryModel))
    await checkModel(ctx, 'thread.summary_model', summaryModel)
  await checkFallbacks(
    ctx,
    fallbacks.map((id) => (models.has(id) ? undefined : id)),
  )
  await compileParts(ctx, { crew, ...(input_schema !== undefined && { input_schema }) })
  for (const [index, entry] of crew.entries()) {
    const wanted = toolsOf(entry)
    if (!tools.some((had) => isDeepStrictEqual(had, wanted)))
      await checkCapabilities(ctx, wanted, `crew[${index}].`)
    const had = before?.crew.some(({ rules }) => isDeepStrictEqual(rules, entry.rules))
    if (had !== true) await checkRules(ctx, entry.rules, `crew[${index}].rules`)
    if (entry.model === undefined || models.has(entry.model)) continue
    await checkModel(ctx, `crew[${index}].model`, entry.model)
  }
  const { accountId } = ctx
  const wanted = crew.flatMap(({ agentId: id }) =>
    id === undefined || agents.has(id) ? [] : [{ accountId, id }],
  )
  const found = new Set((await readAgentsForRuns(ctx.database, wanted)).map(({ id }) => id))
  for (const [index, { agentId }] of crew.entries()) {
    if (agentId === undefined || agents.has(agentId) || found.has(agentId)) continue
    const param = `crew[${index}].agentId`
    const why = `${param} is ${agentId}, not an agent of this account`
    throw cannot(ctx, 'unknown_agent', why, { param })
  }
}

function toolsOf({
  connectors = [],
  capabilities = [],
}: CrewEntry): Required<Pick<CrewEntry, 'connectors' | 'capabilities'>> {
  return { connectors, capabilities }
}
