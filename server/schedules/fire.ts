import { backgroundContext } from '../accounts/background-context.ts'
import type { Context, Services } from '../context.ts'
import { DomainError, cannot } from '../errors.ts'
import { isTerminal } from '../engine/run/run.ts'
import { findRun } from '../engine/reads/runs.ts'
import { cancelRun } from '../runs/cancel.ts'
import { triggerRun } from '../runs/trigger.ts'
import { countWaiting, type ClaimedFiring, type Outcome, type RecentRun } from './firing-store.ts'
import { pauseFailing } from './pause.ts'
import { doubtful, graceMs } from './plan.ts'
import type { CreateRun } from '../engine/wire/run.ts'
import { renderTemplate, renderValue, TemplateError } from '../templates/template.ts'
import { readLastRun } from './store.ts'

/** Pause before a firing checks again whether the previous run has ended. */
const waitSeconds = 5
/** Limit of waiting firings of a schedule. */
const maxWaiting = 100

/**
 * Starts the run of a firing, or returns why there is none. Safe to repeat: the run's id was
 * reserved with the firing. Throws if the service cannot do it now; the firing is then retried.
 */
export async function fire(services: Services, firing: ClaimedFiring): Promise<Outcome> {
  const { accountId, runId } = firing
  if ((await findRun(services.database, accountId, runId)) !== undefined) return { status: 'fired' }
  const why = findObstacle(firing)
  if (why !== undefined) return why
  if (await pauseFailing(services, firing)) {
    return { status: 'skipped', why: 'The schedule was paused because its runs failed' }
  }
  const open = firing.recent.filter(({ id, status }) => id !== runId && !isTerminal(status))
  const blocked = await applyOverlap(services, firing, open)
  if (blocked !== undefined) return blocked
  try {
    await startRun(await contextOf(services, firing, runId), firing)
    return { status: 'fired' }
  } catch (error) {
    if (isTransient(error)) throw error
    return { status: 'skipped', why: messageOf(error) }
  }
}

/** Triggers the run of a firing in the name of the schedule, or of the person who fired it. */
export async function startRun(
  ctx: Context,
  firing: Pick<ClaimedFiring, 'schedule' | 'dueAt' | 'runId'>,
): Promise<void> {
  const body = await renderRun(ctx, firing)
  await triggerRun(ctx, firing.schedule.workflow_id, firing.runId, body)
}

/** Whether the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof DomainError) || ['unavailable', 'internal'].includes(error.type)
}

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500)
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
}: ClaimedFiring): Outcome | undefined {
  if (doubtAt !== null && createdAt <= doubtAt) {
    return { status: 'missed', why: doubtful }
  }
  if (kind !== 'scheduled') return undefined
  if (schedule.status === 'paused') return { status: 'skipped', why: 'The schedule was paused' }
  const { catch_up: catchUp, catch_up_seconds: seconds, jitter_seconds: jitter } = schedule
  const allowedMs = Math.max(graceMs, catchUp === 'none' ? 0 : seconds * 1_000) + jitter * 1_000
  const isTooLate = !waits && now.getTime() - dueAt.getTime() > allowedMs
  return isTooLate ? { status: 'missed', why: 'No worker could start it in time' } : undefined
}

/** Applies the overlap rule to the open runs of the schedule; undefined if the run may start. */
async function applyOverlap(
  services: Services,
  firing: ClaimedFiring,
  open: RecentRun[],
): Promise<Outcome | undefined> {
  const [first] = open
  const { kind, schedule, accountId } = firing
  if (first === undefined || schedule.overlap === 'allow' || kind === 'manual') return undefined
  const state = first.status === 'waiting_input' ? 'waits for a person' : `is ${first.status}`
  const why = `The previous run, ${first.id}, ${state}`
  if (kind === 'scheduled' && schedule.overlap === 'skip') return { status: 'skipped', why }
  if (kind === 'scheduled' && schedule.overlap === 'cancel_previous') {
    for (const { id } of open)
      await cancelRun(await contextOf(services, firing, id, 'run.cancelled'), id)
    return undefined
  }
  const isFull =
    kind === 'scheduled' &&
    (await countWaiting(services.database, accountId, schedule.id)) > maxWaiting
  if (isFull) return { status: 'skipped', why: `${maxWaiting} firings are waiting already` }
  return { status: 'due', why, waitSeconds }
}

function contextOf(
  services: Services,
  { accountId, schedule }: ClaimedFiring,
  reservedId: string,
  audit: 'run.triggered' | 'run.cancelled' = 'run.triggered',
): Promise<Context> {
  return backgroundContext(services, accountId, {
    cause: { id: schedule.id, name: schedule.name },
    action: audit === 'run.triggered' ? 'trigger run' : 'cancel run',
    audit,
    reservedId,
  })
}

/** The trigger request of a firing, rendered from the schedule's templates. */
async function renderRun(
  ctx: Context,
  { schedule, dueAt }: Pick<ClaimedFiring, 'schedule' | 'dueAt'>,
): Promise<CreateRun> {
  const { id, name, key, time_zone, version, input, data, tags } = schedule
  const isAboutLast = `${input}${JSON.stringify(data)}`.includes('last_run')
  const values = {
    scheduled_at: dueAt.toISOString(),
    schedule: { id, name, key, time_zone },
    last_run: isAboutLast ? await readLastRun(ctx.database, ctx.accountId, id) : null,
  }
  const fill = <T>(field: string, work: () => T): T => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      throw cannot(ctx, 'invalid_template', `${field}: ${error.message}`, { param: field })
    }
  }
  return {
    ...(input !== null && { input: fill('input', () => renderTemplate(input, values)) }),
    ...(data !== null && { data: fill('data', () => renderValue(data, values)) as typeof data }),
    ...(version !== null && { version }),
    tags: tags ?? {},
  }
}
