import type { Services } from '../../context.ts'
import type { Transaction } from '../../db/client.ts'
import { logFailure } from '../../db/outage.ts'
import { derivedId, newId } from '../../ids.ts'
import { publishEvent } from '../../sends/webhooks/deliveries.ts'
import { reasonOf } from '../../work/outcome.ts'
import { settleRows } from '../../work/table.ts'
import { toSettlement, type Work } from '../../work/worker.ts'
import { fire, type Fired } from './fire.ts'
import { firings, type ClaimedFiring, type NewFiring } from './firing-store.ts'
import { pauseSchedule } from './pause.ts'
import { plan } from './plan.ts'
import { readDue, storePlans, whileStarting, type DueSchedule, type Planned } from './plan-store.ts'
import { rulesOf, type ScheduleRow } from './store.ts'

/**
 * Schedules as work: due schedules are planned, which inserts a firing for each time, and firings start their runs.
 * Planning is one statement, and a firing that is tried again starts the same run. After a time without workers the next
 * plan inserts the missed times.
 */
export function scheduleWork(services: Services, everyMs: number): Work<ClaimedFiring, Fired> {
  return {
    what: 'a firing of a schedule',
    table: firings,
    atOnce: 50,
    perAccount: 40,
    everyMs,
    prepare: () => planDue(services),
    run: (item) => fire(services, item),
    settle: (settled) =>
      services.database.transaction().execute(async (transaction) => {
        const rows = settled.map((one) => {
          const waits = one.outcome.kind === 'later' && one.outcome.isSteady === true
          return toSettlement(one, states, { waits })
        })
        await settleRows(services.database, firings, rows, transaction)
        for (const { item, outcome } of settled) {
          if (outcome.kind !== 'done' || outcome.value.status !== 'missed') continue
          const missed = [{ due_at: item.dueAt, why: outcome.value.why }]
          await publishMissed(transaction, item.accountId, item.schedule, missed)
        }
      }),
  }
}

const states = {
  later: 'due',
  refused: 'skipped',
  certain: 'fired',
  done: (outcome: Fired) => outcome,
}

/** Inserts the firings of due schedules; one process at a time does this. True if more may be due. */
async function planDue({ database, log }: Services): Promise<boolean> {
  let isMore = false
  await whileStarting(database, async (transaction) => {
    const due = await readDue(database, transaction)
    const { plans, unreadable } = planAll(due)
    if (plans.length > 0) await storeAll(database, transaction, plans)
    for (const [{ accountId, id }, error] of unreadable) {
      // Paused, so that it does not delay the others each time.
      logFailure(log, error, 'a schedule cannot be planned', { scheduleId: id })
      const why = `its next moment cannot be computed: ${reasonOf(error)}`
      await pauseSchedule(transaction, accountId, id, why)
    }
    isMore = due.length > 0
  })
  return isMore
}

async function storeAll(
  database: Services['database'],
  transaction: Transaction,
  plans: Planned[],
): Promise<void> {
  const moved = await storePlans(database, transaction, plans)
  for (const { schedule, firings } of plans) {
    const missed = firings.filter(({ status }) => status === 'missed')
    if (missed.length === 0 || !moved.has(schedule.id)) continue
    await publishMissed(transaction, schedule.accountId, schedule, missed)
  }
}

/** Time limit of planning at once. After a long outage one schedule takes many milliseconds. */
const maxPlanningMs = 200

interface Plans {
  plans: Planned[]
  /** For example because of a time zone that the runtime no longer knows. */
  unreadable: [DueSchedule, unknown][]
}

function planAll(due: DueSchedule[]): Plans {
  const startedAt = performance.now()
  const found: Plans = { plans: [], unreadable: [] }
  for (const schedule of due) {
    try {
      found.plans.push(planOne(schedule))
    } catch (error) {
      found.unreadable.push([schedule, error])
    }
    if (performance.now() - startedAt > maxPlanningMs) break
  }
  return found
}

function planOne(schedule: DueSchedule): Planned {
  const { starts, missed, next } = plan(
    rulesOf(schedule),
    schedule.next_due_at,
    schedule.now,
    schedule.doubtAt,
  )
  return {
    schedule,
    firings: [
      ...starts.map((dueAt) => newFiring('scheduled', dueAt)),
      ...missed.map(({ dueAt, until, why }) => ({
        ...newFiring('scheduled', dueAt),
        status: 'missed' as const,
        missed_until: until,
        run_id: null,
        why,
      })),
    ],
    next,
  }
}

export function newFiring(kind: NewFiring['kind'], dueAt: Date, runId = newId('run')): NewFiring {
  return {
    id: derivedId('fir', runId, 'firing'),
    kind,
    due_at: dueAt,
    missed_until: null,
    status: 'due',
    why: null,
    run_id: runId,
  }
}

/** Limit of times that one event lists. */
const maxNamed = 100

/** Sends `schedule.missed` to webhooks, in the transaction that records the missed times. */
function publishMissed(
  transaction: Transaction,
  accountId: string,
  { id, name, workflow_id }: Pick<ScheduleRow, 'id' | 'name' | 'workflow_id'>,
  missed: { due_at: Date; why: string | null }[],
): Promise<void> {
  const data = {
    schedule: { id, name },
    workflow_id,
    missed: missed.length,
    due_at: missed.slice(-maxNamed).map(({ due_at }) => due_at),
    why: missed.at(-1)?.why ?? null,
  }
  const event = {
    id: newId('evt'),
    type: 'schedule.missed',
    data,
    workflowId: workflow_id,
  } as const
  return publishEvent(transaction, accountId, event)
}
