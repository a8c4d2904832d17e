import { peopleOf, personOf } from '../../accounts/authors.ts'
import { othersOf } from '../../accounts/background-context.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { cannot, notFound } from '../../errors.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { derivedId } from '../../ids.ts'
import { outcomeOf } from '../../work/outcome.ts'
import { settleRows } from '../../work/table.ts'
import { changeTiming } from './check.ts'
import { inWords } from './clock/words.ts'
import { fireNow } from './fire.ts'
import { addFirings, firings, reviveFirings } from './firing-store.ts'
import { nextOf, type Rules } from './plan.ts'
import type {
  Backfill,
  BackfillSchedule,
  Firing,
  PreviewSchedule,
  SchedulePreview,
} from './schema.ts'
import { readSchedule } from './schedules.ts'
import { newFiring } from './definition.ts'
import { findFiring, listFirings as listStored, readNow, rulesOf, timingOf } from './store.ts'

/** Operations on a schedule besides its timing: history, preview, manual firing and backfills. */

/** Newest first, 50 by default. */
export async function listFirings(
  ctx: Context,
  id: string,
  { limit = 50, after }: PageRequest,
  status: Firing['status'] | undefined,
): Promise<Page<Firing>> {
  await readSchedule(ctx, id)
  return listStored(ctx.reads, ctx.accountId, id, { limit, after }, status)
}

const previewed = 10

/** The next times of a schedule, even while it is paused. */
export async function previewSchedule(ctx: Context, id: string): Promise<SchedulePreview> {
  const schedule = await readSchedule(ctx, id)
  const now = await readNow(ctx.database)
  return { in_words: inWords(timingOf(schedule)), due: momentsAfter(rulesOf(schedule), now) }
}

/** The next times of a schedule that is not saved. */
export async function previewTiming(
  ctx: Context,
  input: PreviewSchedule,
): Promise<SchedulePreview> {
  const fields = changeTiming(ctx, undefined, input)
  const now = await readNow(ctx.database)
  const timing = timingOf({ ...fields, counts_from: now })
  const rules = { id: '', timing, endsAt: fields.ends_at, jitterSeconds: 0 }
  return { in_words: inWords(timing), due: momentsAfter(rules, now) }
}

function momentsAfter(rules: Parameters<typeof nextOf>[0], now: Date): Date[] {
  const found: Date[] = []
  while (found.length < previewed) {
    const next = nextOf(rules, found.at(-1) ?? now)
    if (next === undefined) break
    found.push(next.dueAt)
  }
  return found
}

/** Starts a run now, even if the schedule is paused or a run is unfinished. */
export async function triggerSchedule(ctx: Context, id: string, runId: string): Promise<Firing> {
  const schedule = await readSchedule(ctx, id)
  const dueAt = await readNow(ctx.database)
  const firing = newFiring('manual', dueAt, runId)
  await ctx.database.transaction().execute(async (transaction) => {
    await addFirings(transaction, ctx.accountId, id, [firing], { isClaimed: true })
    await recordAudit(transaction, ctx, { objectId: id, after: { run_id: runId } })
  })
  const settle = (status: 'fired' | 'skipped', why: string | null) => {
    const values = { status, why, tries: 0, waits: false }
    const { accountId } = ctx
    const settled = { accountId, id: firing.id, waitSeconds: null, isCertain: status === 'fired' }
    return settleRows(ctx.database, firings, [{ ...settled, values }])
  }
  // The request's own audit entry is about the schedule; this one is about the run.
  const audit = {
    ...ctx.audit,
    id: derivedId('aud', runId, 'run'),
    action: 'run.triggered' as const,
    requestId: null,
  }
  const onBehalfOf = othersOf(peopleOf(schedule.authors), ctx.actor)
  try {
    await fireNow({ ...ctx, audit, onBehalfOf }, { schedule, dueAt, runId })
  } catch (error) {
    const outcome = outcomeOf(error)
    // Left due in an outage: the run may have been created.
    const isRefused = outcome?.error !== undefined && outcome.error.type !== 'unavailable'
    if (isRefused) await settle('skipped', outcome.why)
    throw error
  }
  await settle('fired', null)
  const made = await findFiring(ctx.database, ctx.accountId, firing.id)
  if (made === undefined) throw notFound(ctx, 'schedule', id)
  return made
}

const maxBackfilled = 100

/** Starts the past times that have no run, one after the other unless `overlap` is `allow`. */
export async function backfillSchedule(
  ctx: Context,
  id: string,
  { from, to }: BackfillSchedule,
): Promise<Backfill> {
  const schedule = await readSchedule(ctx, id)
  const [first, last, now] = [new Date(from), new Date(to), await readNow(ctx.database)]
  if (last < first) {
    throw cannot(ctx, 'invalid_value', `to is ${to}, before from, ${from}`, { param: 'to' })
  }
  if (last > now) {
    const why = `to is ${to}, expected a time that has passed`
    throw cannot(ctx, 'invalid_value', why, { param: 'to' })
  }
  const firings = momentsWithin(ctx, rulesOf(schedule), first, last).map((dueAt) => ({
    ...newFiring('backfill', dueAt),
    asked_by: personOf(ctx.actor),
  }))
  return ctx.database.transaction().execute(async (transaction) => {
    const added = await addFirings(transaction, ctx.accountId, id, firings)
    const known = firings.filter((firing) => !added.includes(firing.id))
    const revived = await reviveFirings(transaction, ctx.accountId, id, known)
    await recordAudit(transaction, ctx, { objectId: id, after: { from, to } })
    const due = added.length + revived
    return { due, already: firings.length - due }
  })
}

function momentsWithin(ctx: Context, rules: Rules, first: Date, last: Date): Date[] {
  const found: Date[] = []
  let next = nextOf(rules, new Date(first.getTime() - 1))
  while (next !== undefined && next.dueAt <= last) {
    if (found.length === maxBackfilled) {
      const why = `it was due more than ${maxBackfilled} times between from and to, choose less time`
      throw cannot(ctx, 'invalid_value', why, { param: 'to' })
    }
    found.push(next.dueAt)
    next = nextOf(rules, next.dueAt)
  }
  return found
}
