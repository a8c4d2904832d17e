import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { codeOf } from '../../../test/api-client.ts'
import { echo, startTestApp } from '../../../test/test-app.ts'
import {
  answerWith,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../../rig/webhook-receiver.ts'
import { closeServer, listenOnLoopback } from '../../../rig/loopback.ts'
import { send } from '../../../rig/scripted-server.ts'
import { until } from '../../../rig/until.ts'
import { pruneDeletedEndpoints } from '../../retention/deleted-endpoints-store.ts'
import { upload } from '../../files/test-files.ts'
import { fixture } from '../../../test/fixture.ts'
import { pluck } from '../../../test/pluck.ts'

let receiver: WebhookReceiver
const ids: string[] = []

const app = fixture(() =>
  startTestApp({
    env: { MUSTER_WEBHOOK_SCHEDULE: '0,0.05,0.05' },
  }),
)
beforeEach(async () => {
  receiver = await startWebhookReceiver()
})
afterEach(async () => {
  for (const id of ids.splice(0)) await app.call('DELETE', `/v1/webhooks/${id}`)
  await receiver[Symbol.asyncDispose]()
})

const byText = (a: string, b: string) => a.localeCompare(b)
const allEvents = ['run.started', 'run.completed', 'run.failed', 'run.waiting_input']

async function createEndpoint(fields: Record<string, unknown> = {}) {
  const made = await app.post('/v1/webhooks', { url: receiver.url, events: allEvents, ...fields })
  ids.push(made.id)
  return made
}

const createWorkflow = () => app.createWorkflow({ crew: [{ role: 'r', systemPrompt: 's' }] })

const run = async (workflowId?: string) => app.run(workflowId ?? (await createWorkflow()))

const read = async (id: string) => await app.get(`/v1/webhooks/${id}`)
const deliveriesOf = async (id: string) => await app.get(`/v1/webhooks/${id}/deliveries`)

const storedEndpoint = (id: string) => app.row`select * from webhook_endpoints where id = ${id}`

/** Waits until the deliveries of an endpoint meet a condition. */
async function untilDeliveries(
  id: string,
  condition: (deliveries: { status: string; attempts: unknown[] }[]) => boolean,
) {
  let deliveries = await deliveriesOf(id)
  await until('the deliveries are so', 30_000, async () => {
    deliveries = await deliveriesOf(id)
    return condition(deliveries)
  })
  return deliveries
}
const settled = (count: number) => (deliveries: { status: string }[]) =>
  deliveries.length === count && deliveries.every(({ status }) => status !== 'pending')

describe('a delivery', () => {
  it('is signed, and tells the run as it was when the event happened', async () => {
    const endpoint = await createEndpoint()
    const finished = await run()
    await receiver.until(() => receiver.received.length === 2)
    const byType = new Map(receiver.received.map((one) => [one.body.type, one]))
    const webhook = new Webhook(endpoint.secret)
    for (const { text, body, headers } of receiver.received) {
      assert.deepEqual(webhook.verify(text, headers as Record<string, string>), body)
      assert.equal(headers['content-type'], 'application/json')
    }
    const started = byType.get('run.started')?.body.data
    assert.deepEqual(
      [started.id, started.status, started.output, started.finished_at, started.sequence],
      [finished.id, 'running', null, null, 2],
    )
    // These fields appear only when the run is read.
    const {
      steps: _,
      held: _held,
      failing_since: _since,
      waited_ms: _waited,
      files: _files,
      ...whole
    } = finished
    const completed = byType.get('run.completed')?.body
    const { name } = await app.get(`/v1/workflows/${finished.workflow_id}`)
    const workflow = { id: finished.workflow_id, name }
    const files = { inputs: [], outputs: [] }
    assert.deepEqual(completed.data, { ...whole, workflow, files, file_names: {}, sequence: 5 })
    assert.match(completed.timestamp, /^\d{4}-.*Z$/)

    const deliveries = await untilDeliveries(endpoint.id, settled(2))
    assert.deepEqual(pluck(deliveries, 'event_type', 'status', 'run_id'), [
      ['run.completed', 'succeeded', finished.id],
      ['run.started', 'succeeded', finished.id],
    ])
    const [attempt] = deliveries[0].attempts
    assert.equal(attempt.response_status, 200)
    assert.equal(attempt.response_body, 'ok')
    assert.equal(attempt.trigger, 'scheduled')
    assert.equal(attempt.error, null)
    assert.equal(byType.get('run.completed')?.headers['webhook-id'], deliveries[0].event_id)
    const read1 = await read(endpoint.id)
    assert.equal(read1.last_delivery_status, 200)
    assert.notEqual(read1.last_delivery_at, null)
  })

  it('has the id and order of the event that the stream shows', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    const { id } = await run()
    await receiver.until(() => receiver.received.length === 1)
    const headers = { authorization: `Bearer ${app.key}` }
    const stream = await (await fetch(`${app.url}/v1/runs/${id}/events`, { headers })).text()
    const [sent] = receiver.received
    const line = stream.split('\n').find((text) => text.includes('"run.completed"')) ?? ''
    const event = JSON.parse(line.slice('data: '.length))
    assert.equal(sent?.headers['webhook-id'], event.id)
    assert.equal(sent?.body.data.sequence, event.sequence)
    await untilDeliveries(endpoint.id, settled(1))
  })

  it('goes to those who subscribed, for the workflow that they named, and to no other account', async () => {
    const [mine, others] = [await createWorkflow(), await createWorkflow()]
    const failures = await createEndpoint({ events: ['run.failed'] })
    const limited = await createEndpoint({ events: ['run.completed'], workflow_id: mine })
    const inactive = await createEndpoint({ events: allEvents })
    await app.call('PATCH', `/v1/webhooks/${inactive.id}`, { body: { active: false } })
    await run(mine)
    await run(others)
    app.answer = (_request, response) => send(response, { error: { message: 'no' } }, 400)
    await run(mine)
    app.answer = echo
    await receiver.until(() => receiver.received.length === 2)
    const counts = await Promise.all(
      [failures, limited, inactive].map(async ({ id }) => (await deliveriesOf(id)).length),
    )
    assert.deepEqual(counts, [1, 1, 0])
    assert.deepEqual(
      receiver.received.map(({ body }) => `${body.type} ${body.data.workflow_id}`).toSorted(byText),
      [`run.completed ${mine}`, `run.failed ${mine}`],
    )
  })

  it('of a cancelled run is run.cancelled for those who subscribed to it, run.failed for others', async () => {
    const failed = await createEndpoint({ events: ['run.failed'] })
    const cancelled = await createEndpoint({ events: ['run.cancelled'] })
    const both = await createEndpoint({ events: ['run.failed', 'run.cancelled'] })
    app.answer = () => {}
    const id = await createWorkflow()
    const { body } = await app.call('POST', `/v1/workflows/${id}/runs`, { body: { input: 'x' } })
    await app.models.until(() => app.models.active > 0)
    await app.call('POST', `/v1/runs/${body.data.id}/cancel`)
    app.answer = (_request, response) => send(response, { error: { message: 'no' } }, 400)
    await run(id)
    app.answer = echo
    await receiver.until(() => receiver.received.length === 5)
    const cancellation = receiver.received.filter(({ body: { data } }) => data.id === body.data.id)
    assert.deepEqual(
      cancellation.map(({ body }) => body.data.error_code),
      Array(3).fill('cancelled'),
    )
    for (const [endpoint, types] of [
      [failed, ['run.failed', 'run.failed']],
      [cancelled, ['run.cancelled']],
      [both, ['run.failed', 'run.cancelled']],
    ] as const) {
      const deliveries = await untilDeliveries(endpoint.id, settled(types.length))
      assert.deepEqual(pluck(deliveries, 'event_type'), types)
    }
  })

  it('names the files that the run was given', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    const fileId = (await upload(app, 'A quiet day.', 'notes.txt')).body.data.id
    const workflowId = await createWorkflow()
    await app.post(`/v1/workflows/${workflowId}/runs`, { input: 'x', files: [fileId] })
    await receiver.until(() => receiver.received.length === 1)
    const files = { inputs: [fileId], outputs: [] }
    const { data } = receiver.received[0]?.body ?? {}
    assert.deepEqual([data.files, data.file_names], [files, { [fileId]: 'notes.txt' }])
    await untilDeliveries(endpoint.id, settled(1))
  })

  it('shows the body that was sent', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    const { workflow_id: workflowId } = await run()
    const [delivery] = await untilDeliveries(endpoint.id, settled(1))
    await app.patch(`/v1/workflows/${workflowId}`, { name: 'Another name' })
    const path = `/v1/webhooks/${endpoint.id}/deliveries/${delivery.id}`
    const { body, ...rest } = await app.get(path)
    assert.equal(body, receiver.received[0]?.text)
    assert.deepEqual(rest, delivery)
    const other = await createEndpoint()
    for (const [wrong, options] of [
      [path.replace(endpoint.id, other.id), {}],
      [path.replace(delivery.id, 'dlv_00000000000000000000000000'), {}],
    ] as const) {
      const { status } = await app.call('GET', wrong, options)
      assert.equal(status, 404, wrong)
    }
  })

  it('goes by plain http to networks that the operator allows', async () => {
    const texts: string[] = []
    const plain = createServer((request, response) => {
      void text(request).then((body) => {
        texts.push(body)
        response.end()
      })
    })
    const url = `http://127.0.0.1:${await listenOnLoopback(plain)}/hook`
    try {
      const endpoint = await createEndpoint({ events: ['run.completed'], url })
      await run()
      const [delivery] = await untilDeliveries(endpoint.id, settled(1))
      assert.equal(delivery.status, 'succeeded')
      assert.equal(texts.length, 1)
      const events = ['run.completed']
      const away = { body: { url: 'http://93.184.215.14/hook', events } }
      const { status, body } = await app.call('POST', '/v1/webhooks', away)
      assert.deepEqual([status, body.error.code], [400, 'invalid_url'])
      assert.match(body.error.message, /scheme http is accepted only in networks that the operator/)
      await app.sql`update webhook_endpoints set url = ${away.body.url} where id = ${endpoint.id}`
      await run()
      const [refused] = await untilDeliveries(endpoint.id, settled(2))
      assert.match(refused.attempts[0].error, /scheme http is accepted only in/)
    } finally {
      await closeServer(plain)
    }
  })
})

describe('a receiver that fails', () => {
  it('gets the event again with the same id and bytes, until it takes it', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    receiver.answer = (request, response) =>
      answerWith(receiver.received.length < 3 ? 500 : 204, {}, '')(request, response)
    await run()
    const [delivery] = await untilDeliveries(endpoint.id, settled(1))
    assert.equal(delivery.status, 'succeeded')
    assert.deepEqual(pluck(delivery.attempts, 'response_status'), [500, 500, 204])
    assert.equal(delivery.attempts[0].error, 'the receiver answered 500')
    assert.equal(new Set(pluck(receiver.received, 'text')).size, 1)
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal((await read(endpoint.id)).consecutive_failures, 0)
  })

  it('with a redirect is not followed, and with no answer counts as 0', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    await using other = await startWebhookReceiver()
    receiver.answer = (request, response) =>
      receiver.received.length === 1
        ? answerWith(302, { location: other.url })(request, response)
        : response.destroy()
    await run()
    const [delivery] = await untilDeliveries(endpoint.id, settled(1))
    assert.equal(delivery.status, 'failed')
    assert.equal(delivery.next_attempt_at, null)
    assert.deepEqual(pluck(delivery.attempts, 'response_status'), [302, 0, 0])
    assert.match(delivery.attempts[1].error, /closed/)
    assert.equal(other.connections, 0)
    const after1 = await read(endpoint.id)
    assert.equal(after1.consecutive_failures, 1)
    assert.equal(after1.last_delivery_status, 0)
  })

  it('whose address has turned bad since is not called', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    // On this machine, a connection to 0.0.0.0 would reach the receiver.
    const url = receiver.url.replace('127.0.0.1', '0.0.0.0')
    await app.sql`update webhook_endpoints set url = ${url} where id = ${endpoint.id}`
    await run()
    const [delivery] = await untilDeliveries(endpoint.id, settled(1))
    assert.equal(delivery.status, 'failed')
    assert.equal(delivery.attempts[0].response_status, 0)
    assert.match(delivery.attempts[0].error, /host 0\.0\.0\.0 is not publicly reachable/)
    assert.equal(receiver.connections, 0)
  })

  it('is disabled by the tenth failed event in a row, and starts afresh when made active', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    const workflowId = await createWorkflow()
    receiver.answer = answerWith(500, {}, 'x'.repeat(5_000))
    for (let count = 0; count < 9; count++) await run(workflowId)
    await untilDeliveries(endpoint.id, settled(9))
    assert.equal((await read(endpoint.id)).consecutive_failures, 9)

    receiver.answer = answerWith(200)
    await run(workflowId)
    await untilDeliveries(endpoint.id, settled(10))
    assert.equal((await read(endpoint.id)).consecutive_failures, 0)

    receiver.answer = answerWith(503, {}, 'x'.repeat(5_000))
    for (let count = 0; count < 10; count++) await run(workflowId)
    const deliveries = await untilDeliveries(endpoint.id, settled(20))
    assert.equal(deliveries[0].attempts[0].response_body.length, 1_000)
    const disabled = await read(endpoint.id)
    assert.equal(disabled.active, false)
    assert.notEqual(disabled.disabled_at, null)
    assert.equal(
      disabled.disabled_reason,
      '10 events in a row failed every attempt, the last answer was 503',
    )
    await run(workflowId)
    assert.equal((await deliveriesOf(endpoint.id)).length, 20)
    const [{ actor, before, after }, ...rest] = await app.get(
      `/v1/audit?action=webhook.disabled&object_id=${endpoint.id}`,
    )
    assert.deepEqual([actor, rest], [{ type: 'system', id: null, name: 'deliveries' }, []])
    assert.deepEqual(before, { active: true, disabled_reason: null })
    assert.deepEqual(after, { active: false, disabled_reason: disabled.disabled_reason })

    const { body } = await app.call('PATCH', `/v1/webhooks/${endpoint.id}`, {
      body: { active: true },
    })
    assert.deepEqual(
      [body.data.active, body.data.consecutive_failures, body.data.disabled_at],
      [true, 0, null],
    )
    assert.equal(body.data.disabled_reason, null)
    receiver.answer = answerWith(200)
    await run(workflowId)
    await untilDeliveries(endpoint.id, settled(21))
  })
})

/** Counts the stored rows of an endpoint. */
async function storedOf(id: string): Promise<unknown> {
  const rows = await app.sql`
    select (select count(*)::int from webhook_endpoints where id = ${id}) as endpoints,
           (select count(*)::int from webhook_deliveries where endpoint_id = ${id}) as deliveries`
  return rows[0]
}

describe('what people do with endpoints', () => {
  it('a pause holds what is pending, and goes on with it', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    receiver.answer = (_request, response) => {
      void app
        .call('PATCH', `/v1/webhooks/${endpoint.id}`, { body: { active: false } })
        .then(() => response.writeHead(500).end())
    }
    await run()
    const [held] = await untilDeliveries(endpoint.id, ([one]) => one?.attempts.length === 1)
    assert.equal(held.status, 'pending')
    // Waits longer than the retry schedule's next step.
    await new Promise((resolve) => setTimeout(resolve, 600))
    assert.equal(receiver.received.length, 1)
    receiver.answer = answerWith(200)
    await app.call('PATCH', `/v1/webhooks/${endpoint.id}`, { body: { active: true } })
    const [done] = await untilDeliveries(endpoint.id, settled(1))
    assert.equal(done.status, 'succeeded')
  })

  it('a deletion ends what is pending and removes the history', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    let calls = 0
    receiver.answer = (_request, response) => {
      calls++
      void app
        .call('DELETE', `/v1/webhooks/${endpoint.id}`)
        .then(() => response.writeHead(500).end())
    }
    await run()
    await receiver.until(() => calls === 1)
    await new Promise((resolve) => setTimeout(resolve, 600))
    assert.equal(calls, 1)
    assert.equal((await app.call('GET', `/v1/webhooks/${endpoint.id}/deliveries`)).status, 404)
    while ((await pruneDeletedEndpoints(app.database)) > 0);
    assert.deepEqual(await storedOf(endpoint.id), { endpoints: 0, deliveries: 0 })
  })

  it('a deletion of a long history is one short request; what is left of it goes in batches, unsent', async () => {
    const endpoint = await createEndpoint()
    await app.patch(`/v1/webhooks/${endpoint.id}`, { active: false })
    // The deliveries have been due for a day, as after a pause.
    await app.sql`
      insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event_type, snapshot,
                                      next_attempt_at)
      select new_id('dlv'), account_id, id, 'evt_' || n, 'run.failed', '{}', now() - interval '1 day'
      from webhook_endpoints, generate_series(1, 2500) as n
      where id = ${endpoint.id}`
    const path = `/v1/webhooks/${endpoint.id}`
    const [before] = await deliveriesOf(endpoint.id)
    assert.equal((await app.call('DELETE', path)).status, 200)
    assert.deepEqual(await storedOf(endpoint.id), { endpoints: 1, deliveries: 2_500 })

    const { data: listed } = (await app.call('GET', '/v1/webhooks')).body
    assert.ok(!listed.some(({ id }: { id: string }) => id === endpoint.id))
    const active = { body: { active: true } }
    for (const [method, rest, options] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PATCH', '', active],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
      ['GET', '/deliveries'],
      ['POST', `/deliveries/${before.id}/redeliver`],
    ] as const) {
      assert.equal((await app.call(method, path + rest, options)).status, 404, method + rest)
    }
    const audit = await app.get(`/v1/audit?object_id=${endpoint.id}`)
    const [deleted] = audit
    assert.deepEqual(
      [deleted.action, deleted.before.active, deleted.after],
      ['webhook.deleted', false, null],
    )

    // A process that is killed between two batches leaves the rest to the next.
    assert.equal(await pruneDeletedEndpoints(app.database), 1_000)
    assert.deepEqual(await storedOf(endpoint.id), { endpoints: 1, deliveries: 1_500 })
    while ((await pruneDeletedEndpoints(app.database)) > 0);
    assert.deepEqual(await storedOf(endpoint.id), { endpoints: 0, deliveries: 0 })
    // Meanwhile a later event was sent, and none of the deleted deliveries.
    const other = await createEndpoint({ events: ['run.completed'] })
    await run()
    await untilDeliveries(other.id, settled(1))
    assert.equal(receiver.received.length, 1)
  })

  it('a deleted endpoint that is not pruned yet takes nobody the place', async () => {
    for (let times = 0; times < 25; times++) {
      const endpoint = await createEndpoint()
      await app.call('DELETE', `/v1/webhooks/${endpoint.id}`)
    }
  })

  it('an endpoint that was deleted is not made by a request that is repeated after a crash', async () => {
    const headers = { 'idempotency-key': 'endpoint' }
    const body = { url: receiver.url, events: ['run.completed'] }
    const create = () => app.call('POST', '/v1/webhooks', { headers, body })
    const { id } = (await create()).body.data
    await app.call('DELETE', `/v1/webhooks/${id}`)
    await app.forgetAnswer('endpoint')
    const again = await create()
    assert.deepEqual(codeOf(again), [404, 'not_found'])
  })

  it('a redelivery is an attempt by hand, with the same event', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    receiver.answer = answerWith(500)
    await run()
    const [failed] = await untilDeliveries(endpoint.id, settled(1))
    const path = `/v1/webhooks/${endpoint.id}/deliveries/${failed.id}/redeliver`

    const { status, body } = await app.call('POST', path)
    assert.equal(status, 202)
    assert.equal(body.data.status, 'pending')
    await untilDeliveries(endpoint.id, ([one]) => one?.attempts.length === 4)
    receiver.answer = answerWith(200)
    await app.call('POST', path)
    const [done] = await untilDeliveries(
      endpoint.id,
      ([one]) => one?.attempts.length === 5 && one.status === 'succeeded',
    )
    assert.deepEqual(pluck(done.attempts, 'trigger'), [
      'scheduled',
      'scheduled',
      'scheduled',
      'manual',
      'manual',
    ])
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal((await read(endpoint.id)).consecutive_failures, 0)
    const absent = await app.call('POST', path.replace(failed.id, 'dlv_00000000000000000000000000'))
    assert.equal(absent.status, 404)
  })

  it('a redelivery of what arrived is made once and is no failed event', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    await run()
    const [done] = await untilDeliveries(endpoint.id, settled(1))
    receiver.answer = answerWith(500)
    await app.call('POST', `/v1/webhooks/${endpoint.id}/deliveries/${done.id}/redeliver`)
    const [failed] = await untilDeliveries(
      endpoint.id,
      ([one]) => one?.attempts.length === 2 && one.status === 'failed',
    )
    assert.equal(failed.next_attempt_at, null)
    assert.equal((await read(endpoint.id)).consecutive_failures, 0)
  })

  it('a redelivery that is asked for during an attempt is made after it', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    receiver.answer = (_request, response) => {
      receiver.answer = answerWith(200)
      void deliveriesOf(endpoint.id)
        .then(([{ id }]) =>
          app.call('POST', `/v1/webhooks/${endpoint.id}/deliveries/${id}/redeliver`),
        )
        .then(() => response.end())
    }
    await run()
    const [delivery] = await untilDeliveries(
      endpoint.id,
      ([one]) => one?.attempts.length === 2 && one.status === 'succeeded',
    )
    assert.deepEqual(pluck(delivery.attempts, 'trigger'), ['scheduled', 'manual'])
  })

  it('a redelivery that is asked for again because a crash lost its answer is made once', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    await run()
    const [{ id }] = await untilDeliveries(endpoint.id, settled(1))
    const redeliver = () =>
      app.call('POST', `/v1/webhooks/${endpoint.id}/deliveries/${id}/redeliver`, {
        headers: { 'idempotency-key': 'redelivery' },
      })
    const isOver = ([one]: { status: string; attempts: unknown[] }[]) =>
      one?.status === 'succeeded' && one.attempts.length > 1
    await redeliver()
    await untilDeliveries(endpoint.id, isOver)
    await app.forgetAnswer('redelivery')
    const again = await redeliver()
    assert.deepEqual([again.status, again.body.data.id], [202, id])
    assert.equal(again.body.data.status, 'succeeded')
    assert.equal((await untilDeliveries(endpoint.id, isOver))[0].attempts.length, 2)
  })

  it('a secret that cannot be opened is a failed attempt, not an endless one', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    await app.sql`
      update webhook_endpoints set secret = ${Buffer.alloc(60)} where id = ${endpoint.id}`
    await run()
    const [delivery] = await untilDeliveries(endpoint.id, settled(1))
    assert.equal(delivery.status, 'failed')
    assert.match(delivery.attempts[0].error, /^Cannot open the secret of webhook /)
    assert.equal(receiver.received.length, 0)
  })

  it('a test event is sent once, even where it fails', async () => {
    const endpoint = await createEndpoint()
    receiver.answer = answerWith(500)
    const { status, body } = await app.call('POST', `/v1/webhooks/${endpoint.id}/test`)
    assert.equal(status, 202)
    assert.equal(body.data.event_type, 'webhook.test')
    const [delivery] = await untilDeliveries(endpoint.id, settled(1))
    assert.equal(delivery.attempts.length, 1)
    assert.equal(receiver.received.length, 1)
    assert.equal(receiver.received[0]?.body.type, 'webhook.test')
    assert.equal((await read(endpoint.id)).consecutive_failures, 0)
    await app.call('PATCH', `/v1/webhooks/${endpoint.id}`, { body: { active: false } })
    const refused = await app.call('POST', `/v1/webhooks/${endpoint.id}/test`)
    assert.equal(refused.body.error.code, 'webhook_inactive')
  })

  it('a new secret signs with the old one for a day', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    const { body } = await app.call('POST', `/v1/webhooks/${endpoint.id}/rotate-secret`)
    assert.notEqual(body.data.secret, endpoint.secret)
    const workflowId = await createWorkflow()
    await run(workflowId)
    await receiver.until(() => receiver.received.length === 1)
    const verify = (index: number, secret: string) => {
      const { text, headers } = receiver.received[index] as (typeof receiver.received)[number]
      new Webhook(secret).verify(text, headers as Record<string, string>)
    }
    verify(0, endpoint.secret)
    verify(0, body.data.secret)
    await app.sql`
      update webhook_endpoints set previous_secret_expires_at = ${new Date(Date.now() - 1_000)}
      where id = ${endpoint.id}`
    await run(workflowId)
    await receiver.until(() => receiver.received.length === 2)
    verify(1, body.data.secret)
    assert.throws(() => verify(1, endpoint.secret))
  })

  it('a new secret that a crash kept from being answered leaves the old one signing', async () => {
    const endpoint = await createEndpoint({ events: ['run.completed'] })
    const rotate = () =>
      app.call('POST', `/v1/webhooks/${endpoint.id}/rotate-secret`, {
        headers: { 'idempotency-key': 'rotation' },
      })
    const lost = await rotate()
    const { previous_secret_expires_at: expiresAt } = await storedEndpoint(endpoint.id)
    await app.forgetAnswer('rotation')
    const again = await rotate()
    assert.equal(again.status, 200, JSON.stringify(again.body))
    assert.notEqual(again.body.data.secret, lost.body.data.secret)
    await run()
    await receiver.until(() => receiver.received.length === 1)
    const [{ text, headers }] = receiver.received as [(typeof receiver.received)[number]]
    for (const { secret } of [endpoint, again.body.data])
      new Webhook(secret).verify(text, headers as Record<string, string>)
    assert.deepEqual((await storedEndpoint(endpoint.id)).previous_secret_expires_at, expiresAt)
  })

  it('fields change one by one; secrets are encrypted and never shown again', async () => {
    const workflowId = await createWorkflow()
    const endpoint = await createEndpoint({ events: Array(5).fill('run.failed') })
    assert.match(endpoint.secret, /^whsec_/)
    assert.deepEqual(endpoint.events, ['run.failed'])
    for (const change of [
      { url: `${receiver.url}/other` },
      { events: ['run.started'] },
      { description: 'd' },
      { description: null },
      { workflow_id: workflowId },
      { workflow_id: null },
      { active: false },
    ]) {
      const { status, body } = await app.call('PATCH', `/v1/webhooks/${endpoint.id}`, {
        body: change,
      })
      assert.equal(status, 200)
      for (const [name, value] of Object.entries(change)) assert.deepEqual(body.data[name], value)
      assert.ok(!('secret' in body.data))
    }
    const list = await app.call('GET', '/v1/webhooks')
    assert.ok(!JSON.stringify(list.body).includes('secret'))
    const rows = await app.sql`select secret from webhook_endpoints`
    for (const { secret } of rows) assert.ok(!secret.includes('whsec_'))
  })

  it('the 21st endpoint is refused, also when many are made at once', async () => {
    const body = { url: receiver.url, events: ['run.failed'] }
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => app.call('POST', '/v1/webhooks', { body })),
    )
    ids.push(...answers.filter(({ status }) => status === 201).map(({ body: b }) => b.data.id))
    assert.equal(ids.length, 20)
    const refused = answers.find(({ status }) => status !== 201)
    assert.deepEqual(codeOf(refused), [409, 'too_many_webhooks'])
  })

  it('bad addresses and workflows of others are refused in words', async () => {
    const refuse = async (fields: Record<string, unknown>) => {
      const body = { url: receiver.url, events: ['run.failed'], ...fields }
      const answered = await app.call('POST', '/v1/webhooks', { body })
      assert.equal(answered.status, 400, JSON.stringify(answered.body))
      return answered.body.error
    }
    const { code, param, message } = await refuse({ url: 'https://169.254.169.254/' })
    assert.deepEqual([code, param], ['invalid_url', 'url'])
    assert.match(message, /169\.254/)
    assert.equal((await refuse({ events: [] })).code, 'array_too_short')
    assert.equal((await refuse({ events: ['run.queued'] })).param, 'events[0]')
    assert.equal((await refuse({ workflow_id: 'wf_x' })).code, 'unknown_workflow')
  })
})
