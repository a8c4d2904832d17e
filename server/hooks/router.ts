import { peopleOf } from '../accounts/authors.ts'
import type { Services } from '../context.ts'
import type { Gatherer } from '../db/batcher.ts'
import type { Notices } from '../db/notices.ts'
import { logFailure } from '../db/outage.ts'
import { openBatcher } from '../db/run.ts'
import { InFlight, loop, type Loop } from '../loop.ts'
import { startRun } from '../runs/start.ts'
import { attempt, done, refused, type Outcome } from '../work/outcome.ts'
import {
  claimDeliveries,
  hookChannel,
  settleDeliveries,
  type ClaimedDelivery,
  type Settled,
} from './delivery-store.ts'
import { render } from './render.ts'

/**
 * Starts the runs of deliveries: a loop in each worker, woken when a delivery is stored. A delivery
 * is claimed, filtered and rendered, and its run is triggered with the id that was reserved with
 * it. So after a crash at any point the next try starts the same run. The delivery stores why its
 * run was refused, or why it waits.
 */
export class HookRouter implements AsyncDisposable {
  readonly #services: Services
  readonly #loop: Loop
  readonly #settled: Gatherer<Settled, undefined>
  readonly #inFlight = new InFlight<ClaimedDelivery>(maxInFlight, () => this.#loop.wake())

  constructor(services: Services, notices: Notices, everyMs: number) {
    this.#services = services
    const { database, log } = services
    this.#settled = openBatcher(database, async (settled) => {
      await settleDeliveries(database, settled)
      return settled.map(() => undefined)
    })
    this.#loop = loop({
      everyMs,
      minGapMs: 20,
      tick: () => this.#tick(),
      onError: (error) => logFailure(log, error, 'routing hook deliveries failed'),
      startsAtOnce: true,
    })
    notices.on(hookChannel, () => this.#loop.wake())
  }

  async #tick(): Promise<void> {
    const { free } = this.#inFlight
    if (free <= 0) return
    for (const delivery of await claimDeliveries(this.#services.database, free)) {
      this.#inFlight.add(delivery, this.#route(delivery))
    }
  }

  async #route(delivery: ClaimedDelivery): Promise<void> {
    const { id, tries } = delivery
    const { log } = this.#services
    const facts = { deliveryId: id }
    const trying = { log, tries, what: 'routing a hook delivery', facts }
    const outcome = await attempt(trying, () => route(this.#services, delivery))
    await this.#settled.add({ ...keyOf(delivery), outcome }).catch((error: unknown) => {
      // The claim expires with its lease.
      logFailure(log, error, 'a hook delivery was not settled', facts)
    })
  }

  /** Claims nothing new and waits for deliveries in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
    await this.#inFlight.drain()
  }
}

/** Maximum deliveries that a process routes in parallel. */
const maxInFlight = 50

async function route(
  services: Services,
  delivery: ClaimedDelivery,
): Promise<Outcome<'started' | 'filtered'>> {
  const { accountId, runId, hookId, hookName, eventId, eventType, receivedAt } = delivery
  const rendered = await render({ accountId, action: 'render run' }, delivery, {
    bytes: delivery.body,
    contentType: delivery.contentType,
    headers: delivery.headers,
    event: { id: eventId ?? '', type: eventType ?? '', received_at: receivedAt.toISOString() },
    hook: { id: hookId, name: hookName },
  })
  if (rendered.kind === 'filtered') return done('filtered')
  if (rendered.kind === 'failed') {
    return refused(rendered.problems.map(({ field, why }) => `${field}: ${why}`).join('; '))
  }
  const onBehalfOf = peopleOf(delivery.authors, delivery.askedBy)
  const cause = { accountId, by: { id: hookId, name: hookName }, onBehalfOf, runId }
  const request = { workflowId: delivery.workflowId, body: rendered.run }
  const outcome = await startRun(services, cause, request)
  return outcome.kind === 'done' ? done('started') : outcome
}

function keyOf({ accountId, id, runId, ageSeconds }: ClaimedDelivery): Omit<Settled, 'outcome'> {
  return { accountId, id, runId, ageSeconds }
}
