import { describe, it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'
import { answerWith, startWebhookReceiver } from '../../rig/webhook-receiver.ts'

// A sender that only looked from time to time would send nothing before the test has given up.
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

    // The event of a run, which the worker writes.
    const crew = [{ role: 'r', systemPrompt: 's' }]
    const workflow = await app.post('/v1/workflows', { name: 'w', crew })
    await app.post(`/v1/workflows/${workflow.id}/runs`, { input: 'x' })
    await isReceived(1)
    // A test event and a redelivery, which the other process writes.
    const delivery = await app.post(`/v1/webhooks/${endpoint.id}/test`, {})
    await isReceived(2)
    await app.post(`/v1/webhooks/${endpoint.id}/deliveries/${delivery.id}/redeliver`, {})
    await isReceived(3)
    // An attempt that failed and is soon repeated.
    receiver.answer = answerWith(500)
    await app.post(`/v1/workflows/${workflow.id}/runs`, { input: 'x' })
    await isReceived(5)
  })
})
