import { bySystem, recordAudit } from '../../audit/record.ts'
import type { Services } from '../../context.ts'
import type { Transaction } from '../../db/client.ts'
import { isTerminal } from '../../engine/run/run.ts'
import {
  readFailing,
  type ClaimedFiring,
  type FailingSchedule,
  type RecentRun,
} from './firing-store.ts'
import { schedules } from './store.ts'

/** Pauses the schedule of a firing if its last `pause_after_failures` runs failed. Returns whether it did. */
export async function pauseFailing(
  services: Pick<Services, 'database'>,
  { accountId, kind, schedule: { id, pause_after_failures: most }, recent }: ClaimedFiring,
): Promise<boolean> {
  if (kind !== 'scheduled' || most === null) return false
  return pauseAfter(services, { accountId, id, pauseAfter: most, recent })
}

/** Pauses schedules soon after the run that was one too many has failed, not only when the next is due. */
export async function pauseAllFailing(services: Pick<Services, 'database'>): Promise<void> {
  for (const one of await readFailing(services.database)) await pauseAfter(services, one)
}

async function pauseAfter(
  { database }: Pick<Services, 'database'>,
  { accountId, id, pauseAfter: most, recent }: FailingSchedule,
): Promise<boolean> {
  if (countFailures(recent) < most) return false
  const why = `${most} run${most === 1 ? '' : 's'} in a row failed`
  return database
    .transaction()
    .execute((transaction) => pauseSchedule(transaction, accountId, id, why))
}

/** Pauses an active schedule on behalf of the service. Returns whether it was active. */
export async function pauseSchedule(
  transaction: Transaction,
  accountId: string,
  id: string,
  paused_reason: string,
): Promise<boolean> {
  const before = await schedules.find(transaction, accountId, { id }, 'for no key update')
  if (before?.status !== 'active') return false
  const status = 'paused'
  const change = { status, paused_reason, next_due_at: null, next_start_at: null } as const
  await schedules.update(transaction, accountId, id, change)
  const origin = { accountId, audit: bySystem('schedules', 'schedule.paused') }
  await recordAudit(transaction, origin, {
    objectId: id,
    before: { status: before.status },
    after: { status, paused_reason },
  })
  return true
}

/** Failed runs since the last completed one. Cancelled runs do not count. `recent` is newest first. */
export function countFailures(recent: RecentRun[]): number {
  const ended = recent.filter(
    ({ status, error_code, counts }) => counts && isTerminal(status) && error_code !== 'cancelled',
  )
  const lastGood = ended.findIndex(({ status }) => status === 'completed')
  return lastGood === -1 ? ended.length : lastGood
}
