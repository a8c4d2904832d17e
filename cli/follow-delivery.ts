import { setTimeout as delay } from 'node:timers/promises'
import { Page, type Muster, type WebhookDelivery } from '../sdk/index.ts'
import { exitCodes } from './exit-codes.ts'
import { CliError, interrupted } from './failure.ts'
import { abortOnSignal } from './follow.ts'

const firstPauseMs = 200
const longestPauseMs = 2_000
/** An attempt takes 15 seconds at most; one that a worker lost is taken up after 8. */
const patienceMs = 60_000

/** Asks for an attempt; the delivery as soon as it has that one more. Ctrl-C counts from the start. */
export async function followDelivery(
  muster: Muster,
  endpointId: string,
  request: () => Promise<WebhookDelivery>,
): Promise<WebhookDelivery> {
  const see = `See it with: muster webhooks deliveries ${endpointId}`
  using interrupt = abortOnSignal(['SIGINT'], interrupted(`Stopped watching. ${see}`))
  const { signal } = interrupt
  const delivery = await request()
  const find = createFinder(muster, endpointId, delivery, signal)
  const endsAt = performance.now() + patienceMs
  let pauseMs = firstPauseMs
  while (performance.now() < endsAt) {
    const found = await find()
    if (found !== undefined && found.attempts.length > delivery.attempts.length) return found
    await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)
  }
  const why = `no attempt within ${patienceMs / 1000} s. ${see}`
  const message = `Cannot follow delivery ${delivery.id}: ${why}`
  throw new CliError(exitCodes.error, 'not_attempted', message)
}

/** Looks a delivery up; what is old is walked to once, its page is then asked for alone. */
function createFinder(
  muster: Muster,
  endpointId: string,
  { id, created_at: createdAt }: WebhookDelivery,
  signal: AbortSignal,
): () => Promise<WebhookDelivery | undefined> {
  let fetchPage = () => muster.webhooks.deliveries(endpointId, { limit: 100 }, { signal })
  return async () => {
    let page = await fetchPage()
    for (;;) {
      const found = page.find((delivery) => delivery.id === id)
      if (found !== undefined) return found
      const last = page.at(-1)
      if (!page.hasNext || last === undefined || last.created_at < createdAt) return undefined
      const before = page
      fetchPage = async () => (await before.next()) ?? new Page<WebhookDelivery>()
      page = await fetchPage()
    }
  }
}
