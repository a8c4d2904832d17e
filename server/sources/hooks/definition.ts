import { peopleOf } from '../../accounts/authors.ts'
import type { Services } from '../../context.ts'
import { startRun } from '../../runs/start.ts'
import { done, refused, type Outcome } from '../../work/outcome.ts'
import { settleRows } from '../../work/table.ts'
import { toSettlement, type Work } from '../../work/worker.ts'
import { deliveries, hookChannel, type ClaimedDelivery } from './delivery-store.ts'
import { render } from './render.ts'

/**
 * Hooks as work: a delivery is filtered and rendered, and its run is triggered with the id that was reserved with it. So
 * after a crash at any point the next try starts the same run. The delivery stores why its run was refused, or why it
 * waits.
 */
export function hookWork(services: Services, everyMs: number): Work<ClaimedDelivery, Routed> {
  return {
    what: 'a hook delivery',
    table: deliveries,
    atOnce: 50,
    perAccount: 40,
    everyMs,
    wakes: hookChannel,
    run: (delivery) => route(services, delivery),
    async settle(settled) {
      const rows = settled.map((one) => toSettlement(one, states, { run_id: one.item.runId }))
      await settleRows(services.database, deliveries, rows)
    },
  }
}

type Routed = 'started' | 'filtered'

const states = {
  later: 'pending',
  refused: 'failed',
  certain: 'started',
  done: (status: Routed) => ({
    status,
    why: status === 'filtered' ? 'The filter did not match' : null,
  }),
}

async function route(services: Services, delivery: ClaimedDelivery): Promise<Outcome<Routed>> {
  const { accountId, runId, hookId, hookName, eventId, eventType, receivedAt } = delivery
  const rendered = await render({ ...services, accountId, action: 'render run' }, delivery, {
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
