import { sql } from 'kysely'
import { toAuditRow } from '../audit/record.ts'
import type { Context, Services } from '../context.ts'
import type { Gatherer } from '../db/batcher.ts'
import type { Transaction } from '../db/client.ts'
import { openBatcher } from '../db/run.ts'
import { refuseSpent } from '../budgets/reserve.ts'
import { cannot, notFound } from '../errors.ts'
import {
  dispatchOf,
  firstEvent,
  insertRuns,
  type Insertion,
  type NewRun,
  type Turn,
  type TriggeredRun,
} from '../engine/journal/begin.ts'
import { redefineRun } from '../engine/journal/respond.ts'
import type { Definition } from '../engine/run/definition.ts'
import { insertInputs, shareFiles } from '../engine/journal/files.ts'
import { usageRow } from '../engine/journal/record.ts'
import { noUsage } from '../models/contract.ts'
import { checkData, checkDataAgainst } from '../workflows/check-data.ts'
import { requireWorkflowVersion } from '../workflows/versions.ts'
import { requireWorkflow } from '../workflows/workflows.ts'
import { freezeDrafts } from './freeze-drafts.ts'
import { toTriggerer } from '../engine/reads/rows.ts'
import type { CreateRun, Run } from '../engine/wire/run.ts'
import { tagsToStore } from '../engine/journal/search-terms.ts'
import { findRun } from '../engine/reads/runs.ts'
import { countRun } from '../engine/safety/quotas.ts'

/**
 * The operations on runs: this file triggers a run, and the others cancel, retry, fork, answer,
 * list, export and stream runs. They check a request and its rights, then call the journal, which
 * alone writes runs, or `engine/reads`. Nothing here executes a run; workers do.
 */

/** A trigger that cannot be stored within about twice this time is answered with 503. */
const maxWaitMs = 5_000

/** Batches triggers that arrive together into one statement. */
export type Triggers = Gatherer<TriggeredRun, Insertion>

export function createTriggers({
  database,
  queue,
  acknowledged,
  definitions,
  limits,
}: Pick<Services, 'database' | 'queue' | 'acknowledged' | 'definitions' | 'limits'>): Triggers {
  const insert = async (runs: TriggeredRun[]): Promise<Insertion[]> => {
    using claim = queue.claim(runs.map(({ accountId }) => accountId))
    if (claim.slots > 0) for (const run of runs) run.start = definitions.startOf(run)
    const results = await insertRuns(database, runs, claim)
    const held = runs.flatMap((run, index) => dispatchOf(run, results[index]) ?? [])
    claim.start(held)
    if (held.length < runs.length) queue.wake()
    results.forEach((result, index) => {
      const run = runs[index] as TriggeredRun
      if (result.kind !== 'created') return
      const events = result.attempt === 0 ? [] : (run.start?.events ?? [])
      acknowledged.add({ ...run, runId: run.id }, [firstEvent(run), ...events])
    })
    return results
  }
  const batcher = openBatcher(database, insert, { maxWaitMs })
  return {
    async add(run) {
      using _slot = limits.triggers.takeNow(run.accountId, 'trigger run')
      return await batcher.add(run)
    },
  }
}

export async function triggerRun(
  ctx: Context,
  workflowId: string,
  id: string,
  { input, data = null, version: given, agent_versions, tags, files = [] }: CreateRun,
  turn?: Turn,
): Promise<Run> {
  const hasDrafts = agent_versions !== undefined && Object.keys(agent_versions).length > 0
  const version =
    given ?? (hasDrafts ? (await requireWorkflow(ctx, workflowId)).version : undefined)
  const run = {
    id,
    accountId: ctx.accountId,
    workflowId,
    input: input ?? inputOf(ctx, data),
    data: boundedData(ctx, data),
    workflowVersion: version,
    tags: tagsToStore(tags),
    turn,
    triggeredBy: ctx.actor,
    onBehalfOf: ctx.onBehalfOf,
  }
  const after = {
    workflow_id: workflowId,
    ...(hasDrafts && { agent_versions }),
    ...(ctx.onBehalfOf && { on_behalf_of: ctx.onBehalfOf }),
  }
  const change = { objectId: id, after }
  const audit = toAuditRow(ctx.accountId, ctx.audit, change)
  const add = (checked: string | null): Promise<Insertion> => {
    const request = { ...run, checked, audit, defaultModel: ctx.models.defaultModel }
    const isAlone = ctx.account.hasQuota || files.length > 0 || frozen !== undefined
    return isAlone ? triggerAlone(ctx, request, { files, frozen }) : ctx.triggers.add(request)
  }
  if (version !== undefined) await checkVersion(ctx, workflowId, version, run.data)
  const frozen =
    hasDrafts && version !== undefined
      ? await freezeDrafts(ctx, { workflowId, version }, agent_versions)
      : undefined
  if (ctx.account.hasBudgets) {
    const made = await findRun(ctx.database, ctx.accountId, id)
    if (made !== undefined) return made
    await refuseSpent(ctx, workflowId, tags, turn?.threadId)
  }
  let result = await add(null)
  // Most workflows have no input schema, so it is read only if the trigger turns out to need it.
  for (let tries = 0; result.kind === 'unchecked' && tries < 3; tries++)
    result = await add(await checkData(ctx, workflowId, run.data))
  if (result.kind === 'created') return queuedRun(run, result.createdAt)
  // The run may exist from a crashed request, whatever happened to the workflow since.
  const existing = await findRun(ctx.database, ctx.accountId, run.id)
  if (existing !== undefined) return existing
  switch (result.kind) {
    case 'existed':
      throw notFound(ctx, 'run', run.id)
    case 'unchecked':
      throw cannot(ctx, 'invalid_data', 'the input_schema is being changed, try again', {
        retryAfterSeconds: 1,
      })
    case 'no-workflow':
      throw notFound(ctx, 'workflow', workflowId)
    case 'paused':
      throw cannot(ctx, 'workflow_paused', 'the workflow is paused')
  }
}

/**
 * Checks that the version exists and the data fits it. Versions never change, so this still holds
 * when the run starts.
 */
async function checkVersion(
  ctx: Context,
  workflowId: string,
  version: number,
  data: object | null,
): Promise<void> {
  const { input_schema: schema } = await requireWorkflowVersion(ctx, workflowId, version)
  if (schema !== null) await checkDataAgainst(ctx, JSON.stringify(schema), data)
}

/** If no input is given, it is the data as text. */
function inputOf(ctx: Context, data: object | null): string {
  if (data !== null) return JSON.stringify(data)
  throw cannot(ctx, 'required', 'input is required where there is no data', { param: 'input' })
}

const maxDataBytes = 64 * 1024

export function boundedData<T extends object>(ctx: Context, data: T | null): T | null {
  const bytes = data === null ? 0 : Buffer.byteLength(JSON.stringify(data))
  if (bytes <= maxDataBytes) return data
  const why = `data has ${bytes} bytes of JSON, at most ${maxDataBytes}`
  throw cannot(ctx, 'invalid_data', why, { param: 'data' })
}

/**
 * Triggers a run in a transaction of its own: if the account's runs are counted, or the run has
 * files or a frozen definition.
 */
async function triggerAlone(
  ctx: Context,
  run: TriggeredRun,
  { files, frozen }: { files: string[]; frozen: Definition | undefined },
): Promise<Insertion> {
  const result = await ctx.database.transaction().execute(async (transaction) => {
    await sql`select set_config('lock_timeout', ${`${maxWaitMs}ms`}, true)`.execute(transaction)
    if (files.length > 0) await checkFiles(ctx, transaction, files)
    const [inserted] = await insertRuns(transaction, [run])
    if (inserted?.kind === 'created') {
      if (ctx.account.hasQuota) await checkRunQuota(ctx, transaction)
      const key = { accountId: run.accountId, runId: run.id }
      if (files.length > 0) await insertInputs(transaction, key, files)
      if (frozen !== undefined) await redefineRun(transaction, key, frozen)
    }
    return inserted as Insertion
  })
  if (result.kind === 'created') ctx.queue.wake()
  return result
}

/** Locks the files until the transaction ends. */
async function checkFiles(ctx: Context, transaction: Transaction, files: string[]): Promise<void> {
  const found = await shareFiles(transaction, ctx.accountId, files)
  const absent = files.findIndex((id) => !found.has(id))
  if (absent !== -1) {
    const why = `files[${absent}] is ${files[absent]}, which is no file of this account`
    throw cannot(ctx, 'unknown_file', why, { param: `files[${absent}]` })
  }
  const twice = files.findIndex((id, index) => files.indexOf(id) < index)
  if (twice === -1) return
  const why = `files[${twice}] names ${files[twice]} again, expected each once`
  throw cannot(ctx, 'invalid_value', why, { param: `files[${twice}]` })
}

function queuedRun(
  {
    id,
    workflowId,
    workflowVersion,
    input,
    data,
    tags = {},
    turn,
    triggeredBy,
    onBehalfOf,
  }: NewRun & Pick<Run, 'data'>,
  createdAt: Date,
): Run {
  return {
    id,
    workflow_id: workflowId,
    workflow_version: workflowVersion ?? null,
    status: 'queued',
    input,
    data,
    output: null,
    output_json: null,
    error: null,
    error_code: null,
    total_steps: 0,
    ...usageRow(noUsage),
    retry_of: null,
    forked_from: null,
    triggered_by: toTriggerer(triggeredBy.id, triggeredBy.name, onBehalfOf),
    thread_id: turn?.threadId ?? null,
    turn: turn?.number ?? null,
    tags,
    warnings: [],
    pending: null,
    created_at: createdAt,
    started_at: null,
    finished_at: null,
  }
}

/** Counts a run that the transaction creates; throws if the operator's quota is used up. */
export async function checkRunQuota(ctx: Context, transaction: Transaction): Promise<void> {
  const quota = await countRun(transaction, ctx.accountId)
  if (quota === 'counted') return
  const until = quota.what === 'runs a day' ? ', more from 00:00 UTC on' : ''
  throw cannot(ctx, 'quota_reached', `the operator allows ${quota.max} ${quota.what}${until}`)
}
