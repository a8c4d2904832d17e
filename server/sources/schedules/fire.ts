import { peopleOf } from '../../accounts/authors.ts'
import { backgroundContext } from '../../accounts/background-context.ts'
import type { Context, Services } from '../../context.ts'
import { cannot } from '../../errors.ts'
import { isTerminal } from '../../engine/run/run.ts'
import { findRun } from '../../engine/reads/runs.ts'
import { cancelRun } from '../../runs/cancel.ts'
import { startNow, startRun } from '../../runs/start.ts'
import { done, type Outcome } from '../../work/outcome.ts'
import { countWaiting, type ClaimedFiring, type RecentRun } from './firing-store.ts'
import { pauseFailing } from './pause.ts'
import { doubtful, graceMs } from './plan.ts'
import type { CreateRun, Run } from '../../engine/wire/run.ts'
import type { Field } from '../../templates/fill.ts'
import { fillFields } from '../../templates/templates.ts'
import { readLastRun } from './store.ts'

/** Pause before a firing checks again whether the previous run has ended. */
const waitSeconds = 5
/** Limit of waiting firings of a schedule. */
const maxWaiting = 100

/** What became of a firing: it started its run, or starts none because of a rule. */
export type Fired = { status: 'fired'; why: null } | { status: 'skipped' | 'missed'; why: string }

/**
 * Starts the run of a firing, or returns why there is none. Safe to repeat: the run's id was
 * reserved with the firing.
 */
export async function fire(services: Services, firing: ClaimedFiring): Promise<Outcome<Fired>> {
  const { accountId, runId, schedule } = firing
  if ((await findRun(services.database, accountId, runId)) !== undefined) return done(fired)
  const why = findObstacle(firing)
  if (why !== undefined) return done(why)
  if (await pauseFailing(services, firing)) {
    return done({ status: 'skipped', why: 'The schedule was paused because its runs failed' })
  }
  const open = firing.recent.filter(({ id, status }) => id !== runId && !isTerminal(status))
  const blocked = await applyOverlap(services, firing, open)
  if (blocked !== undefined) return blocked
  const body = await renderRun({ ...services, accountId, action: 'trigger run' }, firing)
  const by = { id: schedule.id, name: schedule.name }
  const onBehalfOf = peopleOf(schedule.authors, firing.askedBy)
  const request = { workflowId: schedule.workflow_id, body }
  const outcome = await startRun(services, { accountId, by, onBehalfOf, runId }, request)
  if (outcome.kind === 'done') return done(fired)
  const isReplaced = outcome.kind === 'later' && (await isOvertaken(services, firing))
  return isReplaced ? done({ status: 'missed', why: outcome.why }) : outcome
}

const fired: Fired = { status: 'fired', why: null }

/** Of several times that wait, only the last one starts, unless the schedule catches up on all. */
async function isOvertaken(
  { database }: Services,
  { accountId, kind, schedule }: ClaimedFiring,
): Promise<boolean> {
  if (kind !== 'scheduled' || schedule.catch_up === 'all') return false
  return (await countWaiting(database, accountId, schedule.id)) > 1
}

/** Starts the run of a firing that a person asked for, in their name. */
export async function fireNow(
  ctx: Context,
  firing: Pick<ClaimedFiring, 'schedule' | 'dueAt' | 'runId'>,
): Promise<Run> {
  const workflowId = firing.schedule.workflow_id
  return startNow(ctx, firing.runId, { workflowId, body: await renderRun(ctx, firing) })
}

/** Why a firing can no longer start: it is too old, or its schedule was paused. */
function findObstacle({
  kind,
  schedule,
  waits,
  now,
  dueAt,
  createdAt,
  doubtAt,
  why,
}: ClaimedFiring): Fired | undefined {
  if (doubtAt !== null && createdAt <= doubtAt) {
    return { status: 'missed', why: doubtful }
  }
  if (kind !== 'scheduled') return undefined
  if (schedule.status === 'paused') return { status: 'skipped', why: 'The schedule was paused' }
  const { catch_up: catchUp, catch_up_seconds: seconds, jitter_seconds: jitter } = schedule
  const allowedMs = Math.max(graceMs, catchUp === 'none' ? 0 : seconds * 1_000) + jitter * 1_000
  const isTooLate = !waits && now.getTime() - dueAt.getTime() > allowedMs
  if (!isTooLate) return undefined
  return { status: 'missed', why: why ?? 'No worker could start it in time' }
}

/** Applies the overlap rule to the open runs of the schedule; undefined if the run may start. */
async function applyOverlap(
  services: Services,
  firing: ClaimedFiring,
  open: RecentRun[],
): Promise<Outcome<Fired> | undefined> {
  const [first] = open
  const { kind, schedule, accountId } = firing
  if (first === undefined || schedule.overlap === 'allow' || kind === 'manual') return undefined
  const state = first.status === 'waiting_input' ? 'waits for a person' : `is ${first.status}`
  const why = `The previous run, ${first.id}, ${state}`
  if (kind === 'scheduled' && schedule.overlap === 'skip') return done({ status: 'skipped', why })
  if (kind === 'scheduled' && schedule.overlap === 'cancel_previous') {
    for (const { id } of open) {
      const ctx = await backgroundContext(services, accountId, {
        cause: { id: schedule.id, name: schedule.name },
        action: 'cancel run',
        audit: 'run.cancelled',
        reservedId: id,
      })
      await cancelRun(ctx, id)
    }
    return undefined
  }
  const isFull =
    kind === 'scheduled' &&
    (await countWaiting(services.database, accountId, schedule.id)) > maxWaiting
  if (isFull) return done({ status: 'skipped', why: `${maxWaiting} firings are waiting already` })
  // The schedule's own rule is waited for: a late start is not too late then.
  return { kind: 'later', why, seconds: waitSeconds, isSteady: true }
}

/** The trigger request of a firing, rendered from the schedule's templates. */
async function renderRun(
  ctx: Pick<Context, 'database' | 'sandbox' | 'accountId' | 'action'>,
  { schedule, dueAt }: Pick<ClaimedFiring, 'schedule' | 'dueAt'>,
): Promise<CreateRun> {
  const { id, name, key, time_zone, version, input, data, tags } = schedule
  const isAboutLast = `${input}${JSON.stringify(data)}`.includes('last_run')
  const values = {
    scheduled_at: dueAt.toISOString(),
    schedule: { id, name, key, time_zone },
    last_run: isAboutLast ? await readLastRun(ctx.database, ctx.accountId, id) : null,
  }
  const fields: Field[] = [
    ...(input === null ? [] : [{ name: 'input', template: input, isText: true }]),
    ...(data === null ? [] : [{ name: 'data', template: data, isText: false }]),
  ]
  const filled = await fillFields(ctx, fields, values)
  const [problem] = filled.problems
  if (problem !== undefined) {
    const { field: param, why } = problem
    throw cannot(ctx, 'invalid_template', `${param}: ${why}`, { param })
  }
  return {
    ...(filled.values as Pick<CreateRun, 'input' | 'data'>),
    ...(version !== null && { version }),
    tags: tags ?? {},
  }
}
