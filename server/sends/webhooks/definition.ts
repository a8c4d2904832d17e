import { sql } from 'kysely'
import type { Services } from '../../context.ts'
import { asBytes, asTime } from '../../db/run.ts'
import { deliveryChannel } from '../../engine/journal/record.ts'
import { joinRun, textsOfRun, type RunTexts } from '../../engine/reads/runs.ts'
import { DomainError } from '../../errors.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { storable } from '../../safe-text.ts'
import { areSendsHeld, isServed } from '../../work/claim.ts'
import { done, type Tried } from '../../work/outcome.ts'
import type { WorkTable } from '../../work/table.ts'
import type { Work } from '../../work/worker.ts'
import {
  decideNext,
  isSuccess,
  makeBody,
  maxConsecutiveFailures,
  readRetryAfter,
  signHeaders,
  webhookPlace,
} from './delivery.ts'
import { recordAttempts, type AttemptRecord } from './delivery-store.ts'
import type { DeliveryAttempt } from './schema.ts'

export interface ClaimedDelivery {
  id: string
  accountId: string
  /** Id of the endpoint. */
  lane: string
  eventId: string
  eventType: string
  createdAt: Date
  snapshot: Record<string, unknown>
  scheduledAttempts: number
  isManual: boolean
  url: string
  secret: Buffer
  /** Also signs until it expires. */
  previousSecret: Buffer | null
  /** Texts of the run in its current state; null for a test event. */
  run: RunTexts | null
}

/** At most ten attempts are in progress to one endpoint, so that a slow host uses only its share. */
export const deliveries: WorkTable<ClaimedDelivery> = {
  name: 'webhook_deliveries',
  isOpen: sql`item.status = 'pending'`,
  dueAt: 'next_attempt_at',
  claimedUntil: 'claimed_until',
  leaseSeconds: 8,
  lane: { column: 'endpoint_id', atOnce: 10 },
  isServed: sql`${isServed('lane')} and exists (
    select from webhook_endpoints as endpoint
    where endpoint.account_id = lane.account_id and endpoint.id = lane.name and endpoint.active)`,
  areHeld: areSendsHeld,
  columns: sql`
    claimed.event_id as "eventId", claimed.event_type as "eventType", claimed.created_at as "createdAt",
    claimed.snapshot, claimed.scheduled_attempts as "scheduledAttempts",
    claimed.manual_requests > 0 as "isManual", endpoint.url, endpoint.secret,
    case when endpoint.previous_secret_expires_at > now() then endpoint.previous_secret end as "previousSecret",
    ${textsOfRun} as run`,
  joins: sql`
    join webhook_endpoints as endpoint on endpoint.account_id = claimed.account_id
      and endpoint.id = claimed.endpoint_id
    ${joinRun('claimed')}`,
  cast: { createdAt: asTime, secret: asBytes, previousSecret: asBytes },
  settled: { columns: {} },
}

type SendServices = Pick<Services, 'database' | 'outbound' | 'secrets' | 'log'>

/**
 * Webhooks as work: a delivery is attempted at the times of `schedule`, in seconds after the attempt before. An event may
 * arrive twice after a crash, with the same `webhook-id`.
 */
export function webhookWork(
  services: SendServices,
  schedule: readonly number[],
  everyMs: number,
): Work<ClaimedDelivery, AttemptRecord> {
  return {
    what: 'a delivery of a webhook',
    table: deliveries,
    atOnce: 1_000,
    perAccount: 50,
    everyMs,
    wakes: deliveryChannel,
    run: (delivery) => deliver(services, delivery, schedule),
    async settle(settled) {
      const records = settled.flatMap(({ outcome }) =>
        outcome.kind === 'refused' ? [] : (outcome.value ?? []),
      )
      await recordAttempts(services.database, records, maxConsecutiveFailures)
    },
  }
}

const attemptTimeoutMs = 15_000
const maxResponseBytes = 16 * 1024
const keptResponseCharacters = 1_000

async function deliver(
  services: SendServices,
  delivery: ClaimedDelivery,
  schedule: readonly number[],
): Promise<Tried<AttemptRecord>> {
  const startedAt = Date.now()
  const { retryAfterSeconds, ...result } = await send(services, delivery, startedAt)
  const attempt: DeliveryAttempt = {
    at: new Date(startedAt).toISOString(),
    trigger: delivery.isManual ? 'manual' : 'scheduled',
    ...result,
  }
  const next = decideNext(
    {
      result: { status: attempt.response_status, retryAfterSeconds },
      isManual: delivery.isManual,
      scheduledBefore: delivery.scheduledAttempts,
    },
    schedule,
  )
  const value = { delivery, attempt, next }
  if (next.kind !== 'pending') return done(value)
  const why = attempt.error ?? ''
  return { kind: 'later', why, seconds: next.delaySeconds, isSteady: true, value }
}

async function send(
  services: SendServices,
  delivery: ClaimedDelivery,
  startedAt: number,
): Promise<Omit<DeliveryAttempt, 'at' | 'trigger'> & { retryAfterSeconds: number | undefined }> {
  try {
    const { status, body, durationMs, headers } = await post(services, delivery, startedAt)
    const retryAfter = [headers['retry-after']].flat()[0]
    return {
      response_status: status,
      response_body: keptText(body),
      duration_ms: durationMs,
      error: isSuccess(status) ? null : `the receiver answered ${status}`,
      retryAfterSeconds: readRetryAfter(retryAfter, Date.now()),
    }
  } catch (error) {
    const isOutbound = error instanceof OutboundError
    if (!isOutbound) {
      services.log.error({ err: error, deliveryId: delivery.id }, 'cannot send delivery')
    }
    // A received status counts, even if reading the body failed.
    const status = (isOutbound ? error.status : undefined) ?? 0
    const isPlain = isOutbound || error instanceof DomainError
    const why = isPlain ? error.message : 'the service could not send it, see its logs'
    return {
      response_status: status,
      response_body: '',
      duration_ms: Date.now() - startedAt,
      error: isSuccess(status) ? null : why,
      retryAfterSeconds: undefined,
    }
  }
}

function post(
  { secrets, outbound }: SendServices,
  delivery: ClaimedDelivery,
  nowMs: number,
): ReturnType<Outbound['request']> {
  const body = makeBody({
    type: delivery.eventType,
    at: delivery.createdAt,
    snapshot: delivery.snapshot,
    run: delivery.run,
  })
  const place = webhookPlace(delivery.accountId, delivery.lane)
  const sealed = [delivery.secret, delivery.previousSecret].filter((secret) => secret !== null)
  return outbound.request(delivery.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Muster',
      ...signHeaders(
        { id: delivery.eventId, timestampSeconds: Math.floor(nowMs / 1000), body },
        sealed.map((secret) => secrets.open(secret, place).toString()),
      ),
    },
    body,
    timeoutMs: attemptTimeoutMs,
    maxResponseBytes,
    allowHttp: 'inside',
  })
}

/** The part of a response that the history stores. */
function keptText(body: Buffer): string {
  return Array.from(storable(body.toString('utf8')))
    .slice(0, keptResponseCharacters)
    .join('')
}
