import type { Services } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import type { Gatherer } from '../db/batcher.ts'
import { logFailure } from '../db/outage.ts'
import { openBatcher } from '../db/run.ts'
import { derivedId, newId } from '../ids.ts'
import { InFlight, loop, type Loop } from '../loop.ts'
import { attempt, reasonOf, waitSeconds } from '../work/outcome.ts'
import { fire, type FireOutcome } from './fire.ts'
import {
  claimFirings,
  settleFirings,
  type ClaimedFiring,
  type NewFiring,
  type Settled,
} from './firing-store.ts'
import { pauseAllFailing, pauseSchedule } from './pause.ts'
import { plan } from './plan.ts'
import { readDue, storePlans, whileStarting, type DueSchedule, type Planned } from './plan-store.ts'
import { rulesOf, type ScheduleRow } from './store.ts'
import { publishEvent } from '../webhooks/deliveries.ts'

/**
 * Starts the runs of schedules: a loop in each worker. A tick plans due schedules, which inserts a
 * firing for each time, and claims firings; one process at a time does this. The runs of claimed
 * firings are then started in parallel. Nothing is lost when a process dies: planning is one
 * statement, a claim expires, and restarting a run gives the same run. After a time without workers
 * the next tick inserts the missed times.
 */
export class Starter implements AsyncDisposable {
  readonly #services: Services
  readonly #loop: Loop
  readonly #settled: Gatherer<Ended, undefined>
  /** When schedules were last looked at whose runs have failed, and how often. */
  #lookedAt = -Infinity
  readonly #lookMs: number
  readonly #inFlight = new InFlight<ClaimedFiring>(maxInFlight, () => this.#loop.wake())

  constructor(services: Services, everyMs: number) {
    this.#services = services
    this.#lookMs = 10 * everyMs
    const { database, log } = services
    this.#settled = openBatcher(database, async (settled) => {
      await this.#settle(settled)
      return settled.map(() => undefined)
    })
    this.#loop = loop({
      everyMs,
      minGapMs: 20,
      tick: () => this.tick(),
      onError: (error) => logFailure(log, error, 'starting scheduled runs failed'),
      startsAtOnce: true,
    })
  }

  /** Returns true if more schedules may be due at once. */
  async tick(): Promise<boolean> {
    const { database } = this.#services
    let claimed: ClaimedFiring[] = []
    let isMore = false
    const { free } = this.#inFlight
    await whileStarting(database, async (transaction) => {
      const due = await readDue(database, transaction)
      const { plans, unreadable } = planAll(due)
      if (plans.length > 0) await this.#store(transaction, plans)
      for (const [{ accountId, id }, error] of unreadable) {
        // Paused, so that it does not delay the others at each tick.
        logFailure(this.#services.log, error, 'a schedule cannot be planned', { scheduleId: id })
        const why = `its next moment cannot be computed: ${reasonOf(error)}`
        await pauseSchedule(transaction, accountId, id, why)
      }
      if (free > 0) claimed = await claimFirings(database, transaction, free)
      isMore = due.length > 0
    })
    for (const firing of claimed) {
      this.#inFlight.add(firing, this.#start(firing))
    }
    if (performance.now() - this.#lookedAt >= this.#lookMs) {
      this.#lookedAt = performance.now()
      await pauseAllFailing(this.#services)
    }
    return isMore
  }

  async #store(transaction: Transaction, plans: Planned[]): Promise<void> {
    const moved = await storePlans(this.#services.database, transaction, plans)
    for (const { schedule, firings } of plans) {
      const missed = firings.filter(({ status }) => status === 'missed')
      if (missed.length === 0 || !moved.has(schedule.id)) continue
      await publishMissed(transaction, schedule.accountId, schedule, missed)
    }
  }

  async #settle(settled: Ended[]): Promise<void> {
    const { database } = this.#services
    await database.transaction().execute(async (transaction) => {
      await settleFirings(database, settled, transaction)
      for (const { accountId, firing, status, why } of settled) {
        if (status !== 'missed') continue
        const missed = [{ due_at: firing.dueAt, why }]
        await publishMissed(transaction, accountId, firing.schedule, missed)
      }
    })
  }

  async #start(firing: ClaimedFiring): Promise<void> {
    const { log } = this.#services
    const facts = { firingId: firing.id }
    const trying = { log, tries: firing.tries, what: 'starting a scheduled run', facts }
    const outcome = await attempt(trying, () => fire(this.#services, firing))
    await this.#settled.add({ ...settledOf(firing, outcome), firing }).catch((error: unknown) => {
      // The claim expires with its lease.
      logFailure(log, error, 'a firing was not settled', facts)
    })
  }

  /** Starts nothing new and waits for runs that are being started. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
    await this.#inFlight.drain()
  }
}

type Ended = Settled & { firing: ClaimedFiring }

/** The columns of a firing after a try. */
function settledOf(
  { accountId, id, dueAt, now }: ClaimedFiring,
  outcome: FireOutcome & { tries: number },
): Settled {
  const { tries, waits = false } = outcome
  const settled = { accountId, id, why: null, tries, waits, waitSeconds: null }
  switch (outcome.kind) {
    case 'done':
      return { ...settled, ...outcome.value }
    case 'refused':
      return { ...settled, status: 'skipped', why: outcome.why }
    case 'later': {
      const ageSeconds = (now.getTime() - dueAt.getTime()) / 1_000
      const waited = waits ? outcome.seconds : waitSeconds(outcome, ageSeconds)
      return { ...settled, status: 'due', why: outcome.why, waitSeconds: waited }
    }
  }
}

/** Maximum runs that a process starts in parallel. */
const maxInFlight = 50

/** Time limit of planning in a tick. After a long outage one schedule takes many milliseconds. */
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
