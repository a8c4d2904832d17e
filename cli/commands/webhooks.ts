import type { WebhookDelivery } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { followDelivery } from '../follow-delivery.ts'
import type { Call, Verbs } from '../noun.ts'
import { shell } from '../shell.ts'
import { describeDelivery } from '../views/webhooks.ts'
import { addListen } from './webhooks-listen.ts'

/**
 * Webhook commands in addition to the generated ones: waiting for an attempt, and a local receiver.
 */
export function addWebhooks(program: Verbs): void {
  const webhooks = program.noun('webhooks')
  const { verb } = webhooks
  verb('test <endpoint>', 'send a test event and show the response', (call: Attempt, id = '') =>
    showAttempt(call, id, () => call.muster.webhooks.test(id)),
  ).option('--no-wait', 'do not wait for the attempt')
  verb(
    'redeliver <endpoint> <delivery>',
    'send an event again at once and show the response',
    (call: Attempt, id = '', deliveryId = '') =>
      showAttempt(call, id, () => call.muster.webhooks.redeliver(id, deliveryId)),
  ).option('--no-wait', 'do not wait for the attempt')
  addListen(webhooks)
}

type Attempt = Call<{ wait: boolean }>

/** Requests an attempt and waits for it; a failed one ends the command with exit code 3. */
async function showAttempt(
  { muster, options, out }: Attempt,
  endpointId: string,
  request: () => Promise<WebhookDelivery>,
): Promise<void> {
  if (!options.wait) {
    const delivery = await request()
    out.result(delivery, () => delivery.id)
    return
  }
  const attempted = await followDelivery(muster, endpointId, request)
  out.result(attempted, () => describeDelivery(attempted))
  if (attempted.attempts.at(-1)?.error !== null) shell().exitCode = exitCodes.deliveryFailed
}
