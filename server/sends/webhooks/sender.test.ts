import { describe, it } from 'node:test'
import { startTestApp } from '../../../test/test-app.ts'
import { answerWith, startWebhookReceiver } from '../../../rig/webhook-receiver.ts'

// With this interval, a sender that is not woken sends nothing before the test's time-out.
const never = { deliveriesMs: 600_000 }

describe('the sender', () => {
  it('is woken by whatever makes a delivery due, in any process', async () => {
    await using receiver = await startWebhookReceiver()
    await using app = await startTestApp({
      role: 'api',
      intervals: never,
      env: { MUSTER_WEBHOOK_SCHEDULE: '0,0.05' },
    })
    await using _worker = await app.startAnother('worker')
    const events = ['run.completed']
    const endpoint = await app.post('/v1/webhooks', { url: receiver.url, events })
    const isReceived = (count: number) => receiver.until(() => receiver.received.length === count)

    // The worker writes the event of a run.
    const crew = [{ role: 'r', systemPrompt: 's' }]
    const workflow = await app.post('/v1/workflows', { name: 'w', crew })
    await app.post(`/v1/workflows/${workflow.id}/runs`, { input: 'x' })
    await isReceived(1)
    // The other process writes a test event and a redelivery.
    const delivery = await app.post(`/v1/webhooks/${endpoint.id}/test`, {})
    await isReceived(2)
    await app.post(`/v1/webhooks/${endpoint.id}/deliveries/${delivery.id}/redeliver`, {})
    await isReceived(3)
    // An attempt that fails is repeated soon.
    receiver.answer = answerWith(500)
    await app.post(`/v1/workflows/${workflow.id}/runs`, { input: 'x' })
    await isReceived(5)
  })
})
