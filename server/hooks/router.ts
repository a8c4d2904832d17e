import { backgroundContext } from '../accounts/background-context.ts'
import type { Services } from '../context.ts'
import type { Gatherer } from '../db/batcher.ts'
import type { Notices } from '../db/notices.ts'
import { logFailure } from '../db/outage.ts'
import { openBatcher } from '../db/run.ts'
import { DomainError } from '../errors.ts'
import { InFlight, loop, type Loop } from '../loop.ts'
import { triggerRun } from '../runs/trigger.ts'
import { parseBody } from './body.ts'
import {
  claimDeliveries,
  hookChannel,
  settleDeliveries,
  type ClaimedDelivery,
  type Outcome,
  type Settled,
} from './delivery-store.ts'
import { render } from './render.ts'

/**
 * Starts the runs of deliveries: a loop in each worker, woken when a delivery is stored. A delivery
 * is claimed, filtered and rendered, and its run is triggered with the id that was reserved with
 * it. So after a crash at any point the next try starts the same run. The reason for a rejected run
 * is stored on the delivery; failures of the service itself are retried.
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
    const { accountId, id, runId } = delivery
    try {
      const outcome = await route(this.#services, delivery)
      await this.#settled.add({ accountId, id, runId, outcome })
    } catch (error) {
      // The claim expires with its lease.
      logFailure(this.#services.log, error, 'a hook delivery was not routed', { deliveryId: id })
    }
  }

  /** Claims nothing new and waits for deliveries in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
    await this.#inFlight.drain()
  }
}

/** Maximum deliveries that a process routes in parallel. */
const maxInFlight = 50
const longestWaitSeconds = 300

async function route(services: Services, delivery: ClaimedDelivery): Promise<Outcome> {
  const { accountId, runId, hookId, hookName, eventId, eventType, receivedAt, tries } = delivery
  const rendered = render(delivery, {
    body: parseBody(delivery.body, delivery.contentType),
    headers: delivery.headers,
    event: { id: eventId ?? '', type: eventType ?? '', received_at: receivedAt.toISOString() },
    hook: { id: hookId, name: hookName },
  })
  if (rendered.kind === 'filtered') {
    return { status: 'filtered', why: 'The filter did not match' }
  }
  if (rendered.kind === 'failed') {
    const why = rendered.problems.map((problem) => `${problem.field}: ${problem.why}`).join('; ')
    return { status: 'failed', why: why.slice(0, 500) }
  }
  try {
    const ctx = await backgroundContext(services, accountId, {
      cause: { id: hookId, name: hookName },
      action: 'trigger run',
      audit: 'run.triggered',
      reservedId: runId,
    })
    await triggerRun(ctx, delivery.workflowId, runId, rendered.run)
    return { status: 'started' }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const why = error.message.slice(0, 500)
    const mayPass = ['unavailable', 'internal'].includes(error.type)
    if (!mayPass) return { status: 'failed', why }
    return { status: 'pending', why, waitSeconds: Math.min(2 ** tries, longestWaitSeconds) }
  }
}
