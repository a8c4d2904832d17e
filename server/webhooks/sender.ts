import type { Logger } from 'pino'
import type { Gatherer } from '../db/batcher.ts'
import type { Database } from '../db/client.ts'
import type { Notices } from '../db/notices.ts'
import { logFailure } from '../db/outage.ts'
import { openBatcher } from '../db/run.ts'
import { DomainError } from '../errors.ts'
import { InFlight, loop, type Loop } from '../loop.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { SecretBox } from '../secret-box.ts'
import { storable } from '../safe-text.ts'
import {
  decideNext,
  isSuccess,
  makeBody,
  maxConsecutiveFailures,
  webhookPlace,
  readRetryAfter,
  signHeaders,
} from './delivery.ts'
import { claimDeliveries, renewClaims, type ClaimedDelivery } from './claim-store.ts'
import { recordAttempts, type AttemptRecord } from './delivery-store.ts'
import type { DeliveryAttempt } from './schema.ts'
import { deliveryChannel } from '../engine/journal/record.ts'

/**
 * Sends webhook deliveries. One loop per process claims due deliveries, attempts them and records
 * the results in batches. It is woken by statements that insert deliveries, in any process, by
 * finished attempts and by near retries; otherwise it polls. At most ten attempts are in flight to
 * one endpoint and fifty for one account, over all processes, so that a slow host uses only its
 * share. Claims are renewed during attempts. The claims of a process that dies expire within
 * seconds, so an event may arrive twice, with the same `webhook-id`.
 */
export interface SenderOptions {
  database: Database
  outbound: Outbound
  secrets: SecretBox
  log: Logger
  /** Delays in seconds before each attempt. */
  schedule: readonly number[]
  notices: Notices
  /** Polling interval, for due retries and reactivated endpoints, which send no notice. */
  everyMs?: number
}

const maxInFlight = 1_000
const maxInFlightPerEndpoint = 10
const maxInFlightPerAccount = 50
/** Deliveries that are inserted together are claimed together. */
const minGapMs = 20
/** Much shorter than the lease of a claim. */
const renewMs = 2_000
const attemptTimeoutMs = 15_000
const maxResponseBytes = 16 * 1024
const keptResponseCharacters = 1_000

export class Sender {
  readonly #options: SenderOptions
  readonly #records: Gatherer<AttemptRecord & { accountId: string }, undefined>
  /** Attempts, each with its delivery. */
  readonly #inFlight = new InFlight<ClaimedDelivery>(maxInFlight, () => this.#claims.wake())
  readonly #claims: Loop
  readonly #renewals: Loop
  readonly #everyMs: number
  #claimedUpTo = ''

  constructor(options: SenderOptions) {
    this.#options = options
    this.#records = openBatcher(options.database, async (records) => {
      await recordAttempts(options.database, records, maxConsecutiveFailures)
      return records.map(() => undefined)
    })
    const { log, notices, everyMs = 1_000 } = options
    this.#everyMs = everyMs
    this.#claims = loop({
      everyMs,
      minGapMs,
      tick: () => this.tick(),
      onError: (error) => logFailure(log, error, 'claiming deliveries failed'),
      startsAtOnce: true,
    })
    this.#renewals = loop({
      everyMs: renewMs,
      tick: () => this.#renew(),
      onError: (error) => logFailure(log, error, 'renewing claims failed'),
    })
    notices.on(deliveryChannel, () => this.#claims.wake())
  }

  /** Takes nothing new and waits for attempts in flight, which have timeouts. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#claims.stop()
    await this.#inFlight.drain()
    await this.#renewals.stop()
  }

  /** Claims and starts due deliveries; true if there are more endpoints to check. */
  async tick(): Promise<boolean> {
    const { free } = this.#inFlight
    if (free <= 0) return false
    const { database } = this.#options
    const limits = {
      count: free,
      perEndpoint: maxInFlightPerEndpoint,
      perAccount: maxInFlightPerAccount,
    }
    const { claimed, next } = await claimDeliveries(database, limits, this.#claimedUpTo)
    this.#claimedUpTo = next
    for (const delivery of claimed) {
      const work = this.#deliver(delivery).catch((error: unknown) => {
        logFailure(this.#options.log, error, 'delivery failed', { deliveryId: delivery.id })
      })
      this.#inFlight.add(delivery, work)
    }
    return next !== ''
  }

  async #renew(): Promise<void> {
    const deliveries = this.#inFlight.subjects
    if (deliveries.length > 0) await renewClaims(this.#options.database, deliveries)
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const startedAt = Date.now()
    const { retryAfterSeconds, ...result } = await this.#attempt(delivery, startedAt)
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
      this.#options.schedule,
    )
    await this.#records.add({ accountId: delivery.accountId, delivery, attempt, next })
    const delayMs = next.kind === 'pending' ? next.delaySeconds * 1_000 : Infinity
    if (delayMs < this.#everyMs) setTimeout(() => this.#claims.wake(), delayMs).unref()
  }

  async #attempt(
    delivery: ClaimedDelivery,
    startedAt: number,
  ): Promise<Omit<DeliveryAttempt, 'at' | 'trigger'> & { retryAfterSeconds: number | undefined }> {
    try {
      const { status, body, durationMs, headers } = await this.#send(delivery, startedAt)
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
        this.#options.log.error({ err: error, deliveryId: delivery.id }, 'cannot send delivery')
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

  #send(delivery: ClaimedDelivery, nowMs: number): ReturnType<Outbound['request']> {
    const { secrets, outbound } = this.#options
    const body = makeBody({
      type: delivery.eventType,
      at: delivery.createdAt,
      snapshot: delivery.snapshot,
      run: delivery.run,
    })
    const place = webhookPlace(delivery.accountId, delivery.endpointId)
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
}

/** The part of a response that the history stores. */
function keptText(body: Buffer): string {
  return Array.from(storable(body.toString('utf8')))
    .slice(0, keptResponseCharacters)
    .join('')
}
