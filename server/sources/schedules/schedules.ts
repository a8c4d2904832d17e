import { checkListBytes, isLarger, whileLocked } from '../../accounts/bounds.ts'
import { changedBy, createdBy } from '../../accounts/authors.ts'
import { OwnedResource } from '../../accounts/owned-resource.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../db/client.ts'
import { cannot, tooMany } from '../../errors.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { findPlaceholders, placeholderWarning } from '../../workflows/placeholders.ts'
import { checkWorkflow, findNeeds } from '../../workflows/workflows.ts'
import { isDeepStrictEqual } from 'node:util'
import { changeTiming, checkTemplates, pickTiming } from './check.ts'
import { inWords } from './clock/words.ts'
import { nextOf } from './plan.ts'
import type { CreateSchedule, Schedule, UpdateSchedule } from './schema.ts'
import {
  markResumed,
  raiseRevision,
  readLastFirings,
  readNow,
  rulesOf,
  schedules,
  timingOf,
  type ScheduleRow,
} from './store.ts'

/**
 * Schedules start runs of a workflow at given times. This file has the API's operations;
 * `definition.ts` starts their runs. A schedule is active, paused or ended; while
 * it is active its row has the next time without a firing. Each time becomes one firing, a row that
 * is stored before its run. Retries and forks of a run are not firings.
 */
const maxPerAccount = 1_000
const owned = new OwnedResource(schedules, {
  noun: 'schedule',
  plural: 'schedules',
  max: maxPerAccount,
  tooMany: 'too_many_schedules',
  toAudited,
})

const defaults = {
  version: null,
  key: null,
  input: null,
  data: null,
  tags: {},
  overlap: 'skip',
  catch_up: 'last',
  catch_up_seconds: 3_600,
  pause_after_failures: null,
} as const

/** Creates a schedule, or changes the one with the same key. */
export async function createSchedule(
  ctx: Context,
  id: string,
  input: CreateSchedule,
): Promise<Schedule> {
  const workflow = await checkWorkflow(ctx, input.workflow_id)
  await checkTemplates(ctx, input)
  return whileLocked(ctx, async (transaction) => {
    const { key = null } = input
    const before =
      key === null
        ? undefined
        : await schedules.find(transaction, ctx.accountId, { key }, 'for no key update')
    const given = { name: workflow.name.slice(0, 120), ...defaults, ...input }
    if (before !== undefined && before.id !== id) {
      return change(ctx, transaction, before, {
        time_zone: 'UTC',
        ends_at: null,
        jitter_seconds: 0,
        ...given,
      })
    }
    const now = await readNow(transaction)
    const timing = changeTiming(ctx, undefined, input)
    const fields = { id, status: 'active' as const, ...given, ...timing, ...createdBy(ctx.actor) }
    const row = settle(ctx, fields, undefined, now)
    const made = await schedules.insert(transaction, ctx.accountId, row, maxPerAccount)
    if (made === undefined) {
      throw tooMany(ctx, 'too_many_schedules', maxPerAccount, 'schedules')
    }
    await checkListBytes(ctx, transaction, 'schedules', schedules)
    const after = await show({ ...ctx, database: transaction }, made)
    await recordAudit(transaction, ctx, { objectId: id, after: toAudited(made) })
    return after
  })
}

export async function listSchedules(
  ctx: Context,
  page: PageRequest,
  { workflow_id, status }: { workflow_id?: string; status?: Schedule['status'] },
): Promise<Page<Schedule>> {
  const { items, next } = await owned.list(ctx, page, { workflow_id, status })
  return { items: await showAll({ ...ctx, database: ctx.reads }, items), next }
}

export async function retrieveSchedule(ctx: Context, id: string): Promise<Schedule> {
  return show(ctx, await readSchedule(ctx, id))
}

export function readSchedule(ctx: Context, id: string): Promise<ScheduleRow> {
  return owned.find(ctx, id)
}

export async function updateSchedule(
  ctx: Context,
  id: string,
  input: UpdateSchedule,
): Promise<Schedule> {
  await checkTemplates(ctx, input)
  return whileLocked(ctx, async (transaction) => {
    const before = await owned.lock(transaction, ctx, id)
    const { workflow_id: workflowId = before.workflow_id, key } = input
    // A schedule can be sent back as it was read, even if its workflow no longer exists.
    if (workflowId !== before.workflow_id) {
      await checkWorkflow({ ...ctx, database: transaction }, workflowId)
    }
    if (key != null && key !== before.key) await refuseTaken(ctx, transaction, key)
    return change(ctx, transaction, before, input)
  })
}

export function deleteSchedule(ctx: Context, id: string): Promise<void> {
  return owned.delete(ctx, id)
}

async function change(
  ctx: Context,
  transaction: Transaction,
  before: ScheduleRow,
  input: UpdateSchedule,
): Promise<Schedule> {
  const now = await readNow(transaction)
  const timing = changeTiming(ctx, before, input)
  const given = { ...before, ...input, ...timing, ...changedBy(before, ctx.actor) }
  const { id: _, created_at: __, updated_at: ___, ...row } = settle(ctx, given, before, now)
  const changed = await schedules.update(transaction, ctx.accountId, before.id, row)
  if (isLarger(changed, before)) await checkListBytes(ctx, transaction, 'schedules', schedules)
  await raiseRevision(transaction, ctx.accountId, before.id)
  if (before.status !== 'active' && changed.status === 'active') {
    await markResumed(transaction, ctx.accountId, before.id)
  }
  const audited = { before: toAudited(before), after: toAudited(changed) }
  await recordAudit(transaction, ctx, {
    objectId: before.id,
    ...audited,
    action: 'schedule.updated',
  })
  return show({ ...ctx, database: transaction }, changed)
}

/** A row to be stored. */
type Given = Omit<
  ScheduleRow,
  'counts_from' | 'next_due_at' | 'paused_reason' | 'created_at' | 'updated_at'
> &
  Partial<ScheduleRow> & { [column: string]: unknown }

/**
 * Sets when the schedule is due next: unchanged unless its timing or status changed, otherwise from
 * now on, so that a change never starts earlier times.
 */
function settle(ctx: Context, given: Given, before: ScheduleRow | undefined, now: Date): Given {
  if (given.input === null && given.data === null) {
    const why = 'input is required where there is no data'
    throw cannot(ctx, 'required', why, { param: 'input' })
  }
  const isSameTime =
    before !== undefined && isDeepStrictEqual(pickTiming(given), pickTiming(before))
  const hasEnded = isSameTime && before.status === 'ended'
  if (hasEnded) return { ...given, status: 'ended', next_due_at: null, next_start_at: null }
  if (given.status === 'paused') {
    const reason = before?.status === 'paused' ? before.paused_reason : null
    return { ...given, paused_reason: reason, next_due_at: null, next_start_at: null }
  }
  const isSame = isSameTime && before.status === 'active'
  if (isSame) return given
  const counts_from = isSameTime ? before.counts_from : now
  const row = { ...given, counts_from, paused_reason: null }
  const next = nextOf(rulesOf(row as ScheduleRow), now)
  if (next === undefined) {
    const param = given.ends_at === null ? 'at' : 'ends_at'
    const at = given[param]?.toISOString()
    throw cannot(ctx, 'invalid_value', `${param} is ${at}, and no later moment is due`, { param })
  }
  return { ...row, status: 'active', next_due_at: next.dueAt, next_start_at: next.startsAt }
}

async function refuseTaken(ctx: Context, transaction: Transaction, key: string): Promise<void> {
  const other = await schedules.find(transaction, ctx.accountId, { key })
  if (other === undefined) return
  throw cannot(ctx, 'invalid_value', `key is ${key}, which ${other.id} has`, { param: 'key' })
}

async function show(ctx: Context, row: ScheduleRow): Promise<Schedule> {
  return (await showAll(ctx, [row]))[0] as Schedule
}

async function showAll(ctx: Context, rows: ScheduleRow[]): Promise<Schedule[]> {
  const ids = rows.map(({ id }) => id)
  const last = await readLastFirings(ctx.database, ctx.accountId, ids)
  const needs = await findNeeds(
    ctx,
    rows.map((row) => row.workflow_id),
  )
  return rows.map((row) => {
    const { counts_from: _, authors: __, ...fields } = row
    const own = placeholderWarning(findPlaceholders([row.input, row.data]), "the schedule's input")
    return {
      ...fields,
      tags: row.tags ?? {},
      in_words: inWords(timingOf(row)),
      warnings: [...own, ...(needs.get(row.workflow_id) ?? [])],
      last_firing: last.get(row.id) ?? null,
    }
  })
}

function toAudited(row: ScheduleRow): object {
  const { counts_from: _, next_due_at: __, authors: ___, ...fields } = row
  return fields
}
