import { setTimeout as delay } from 'node:timers/promises'
import type { Muster, WebhookDelivery } from '../sdk/index.ts'
import { exitCodes } from './exit-codes.ts'
import { CliError, interrupted } from './failure.ts'
import { abortOnSignal } from './follow.ts'

const firstPauseMs = 200
const longestPauseMs = 2_000
/** An attempt takes 15 seconds at most; one that a worker lost is retried after 8. */
const patienceMs = 60_000

/** Requests an attempt and waits until the delivery has it. Ctrl-C works from the start. */
export async function followDelivery(
  muster: Muster,
  endpointId: string,
  request: () => Promise<WebhookDelivery>,
): Promise<WebhookDelivery> {
  const see = `See it with: muster webhooks deliveries ${endpointId}`
  using interrupt = abortOnSignal(['SIGINT'], interrupted(`Stopped watching. ${see}`))
  const { signal } = interrupt
  const delivery = await request()
  const endsAt = performance.now() + patienceMs
  let pauseMs = firstPauseMs
  while (performance.now() < endsAt) {
    const found = await muster.webhooks.delivery(endpointId, delivery.id, { signal })
    if (found.attempts.length > delivery.attempts.length) return found
    await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)
  }
  const why = `no attempt within ${patienceMs / 1000} s. ${see}`
  const message = `Cannot follow delivery ${delivery.id}: ${why}`
  throw new CliError(exitCodes.error, 'not_attempted', message)
}
