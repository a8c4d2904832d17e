import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { until } from '../../rig/until.ts'
import { startTestApp } from '../../test/test-app.ts'
import {
  answerWith,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../rig/webhook-receiver.ts'
import { json, muster, startMuster, type Finished } from '../test-cli.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const absent = 'whk_00000000000000000000000000'

describe('muster webhooks', () => {
  let receiver: WebhookReceiver
  let workflowId: string
  const app = fixture(() => startTestApp({ env: { MUSTER_WEBHOOK_SCHEDULE: '0,0.05' } }))
  prepare(async () => {
    const crew = [{ role: 'r', systemPrompt: 's' }]
    const body = { name: 'Told', crew }
    workflowId = (await app.post('/v1/workflows', body)).id
  })
  beforeEach(async () => {
    receiver = await startWebhookReceiver()
  })
  afterEach(async () => {
    const data = await app.get('/v1/webhooks')
    for (const { id } of data) await app.call('DELETE', `/v1/webhooks/${id}`)
    await receiver[Symbol.asyncDispose]()
  })

  function env() {
    return { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
  }

  function call(...args: string[]): Promise<Finished> {
    return muster(['webhooks', ...args], { env: env() })
  }

  async function create(...args: string[]) {
    const made = await call('create', '--to', receiver.url, '--json', '--event', ...args)
    assert.equal(made.code, 0, made.stderr)
    return json(made.stdout)
  }

  /** Runs the workflow and waits until its deliveries are settled. */
  async function runAndSettle(endpointId: string): Promise<void> {
    const path = `/v1/workflows/${workflowId}/runs`
    await app.call('GET', `/v1/runs/${(await app.post(path, { input: 'hello' })).id}?wait=20`)
    await until('its deliveries are settled', 20_000, async () => {
      const list = await app.get(`/v1/webhooks/${endpointId}/deliveries`)
      return list.length > 0 && pluck(list, 'status').every((status) => status !== 'pending')
    })
  }

  it('makes an endpoint, shows its secret once, lists, shows, changes and deletes it', async () => {
    const options = ['--workflow', 'Told', '--description', 'to chat']
    const events = ['--event', 'run.completed', 'run.failed']
    const made = await call('create', '--to', receiver.url, ...events, ...options)
    assert.equal(made.code, 0, made.stderr)
    const [, secret] = /secret +(whsec_\S+) {2}\(shown only once\)\n$/.exec(made.stdout) ?? []
    const [id = ''] = /whk_\w{26}/.exec(made.stdout) ?? []
    assert.ok(secret !== undefined)
    assert.match(made.stdout, new RegExp(`workflow +${workflowId}\nstatus +active\n`))
    assert.match(made.stdout, /description +to chat\nevents +run\.completed, run\.failed\n/)

    const [list, shown] = await Promise.all([call('list'), call('show', id)])
    assert.match(list.stdout, new RegExp(`${id} +active +0 +– +completed, failed +${workflowId}`))
    assert.match(shown.stdout, new RegExp(`url +${receiver.url}\n`))
    assert.ok(!`${list.stdout}${shown.stdout}`.includes(secret))

    const update = [id, '--event', 'run.started', '--all-workflows', '--description', '', '--pause']
    const changed = json((await call('update', ...update, '--json')).stdout)
    assert.deepEqual(
      [changed.events, changed.workflow_id, changed.description, changed.active],
      [['run.started'], null, null, false],
    )
    assert.match((await call('list')).stdout, /paused +0 +– +started +all/)
    const to = `${receiver.url}/other`
    const again = await call('update', id, '--activate', '--workflow', workflowId, '--to', to)
    assert.match(
      again.stdout,
      new RegExp(`url +${to}\n[^]*workflow +${workflowId}\nstatus +active`),
    )

    const deleted = await call('delete', id)
    assert.deepEqual([deleted.code, deleted.stdout], [0, `Deleted ${id}.\n`])
    assert.equal((await call('show', id)).code, 5)
  })

  it('sends a test event and shows the answer, with 3 when it failed', async () => {
    const { id } = await create('run.completed')
    receiver.answer = answerWith(200, {}, 'thanks\u001b[31m')
    const good = await call('test', id)
    assert.equal(good.code, 0, good.stderr)
    assert.match(good.stdout, /event +webhook\.test {2}evt_\w+\nstatus +succeeded\n/)
    assert.match(good.stdout, /answer +200 in [\d.]+m?s\nbody +thanks\n$/)

    receiver.answer = answerWith(500, {}, 'no')
    const bad = await call('test', id)
    assert.equal(bad.code, 3)
    assert.match(bad.stdout, /status +failed\nanswer +500 in .*\nwhy +the receiver answered 500\n/)
    receiver.answer = (_request, response) => response.destroy()
    const none = await call('test', id, '--json')
    assert.equal(none.code, 3)
    assert.equal(json(none.stdout).attempts[0].response_status, 0)
    assert.match((await call('list')).stdout, /failing +0 +none at 2/)

    const left = await call('test', id, '--no-wait')
    assert.match(left.stdout, /^dlv_\w{26}\n$/)
  })

  it('lists deliveries with their attempts and sends one again', async () => {
    const { id } = await create('run.completed')
    receiver.answer = answerWith(503)
    await runAndSettle(id)
    const failed = await call('deliveries', id)
    assert.match(failed.stdout, /^ID +EVENT +STATUS +CREATED +ANSWERS +NEXT +RUN +WORKFLOW +WHY\n/)
    assert.match(
      failed.stdout,
      /run\.completed +failed .* 503, 503 +– +run_\w+ +Told +the receiver/,
    )
    const [delivery = ''] = /dlv_\w{26}/.exec(failed.stdout) ?? []

    const still = await call('redeliver', id, delivery)
    assert.equal(still.code, 3)
    assert.match(still.stdout, /answer +503 in/)
    receiver.answer = answerWith(204)
    const now = await call('redeliver', id, delivery, '--json')
    assert.equal(now.code, 0)
    const triggers = pluck(json(now.stdout).attempts, 'trigger')
    assert.deepEqual(triggers, ['scheduled', 'scheduled', 'manual', 'manual'])

    const shown = await call('delivery', id, delivery)
    assert.match(
      shown.stdout,
      /event +run\.completed .*\nworkflow +Told\nstatus +succeeded\n[^]*\n\n\{"type":"run\.completed"/,
    )
    const withBody = json((await call('delivery', id, delivery, '--json')).stdout)
    assert.equal(withBody.body, receiver.received[0]?.text)

    await call('test', id)
    const succeeded = await call('deliveries', id, '--status', 'succeeded', '--json')
    assert.equal(json(succeeded.stdout).length, 2)
    const one = await call('deliveries', id, '--limit', '1', '--json')
    assert.equal(json(one.stdout)[0].event_type, 'webhook.test')
    assert.deepEqual(
      json((await call('deliveries', id, '--status', 'failed', '--json')).stdout),
      [],
    )
  })

  it('lets go of a delivery on Ctrl-C', async () => {
    const { id } = await create('run.completed')
    receiver.answer = () => {}
    const testing = startMuster(['webhooks', 'test', id], { env: env() })
    await receiver.until(() => receiver.received.length === 1)
    testing.kill('SIGINT')
    const { code, stdout, stderr } = await testing.finished
    assert.deepEqual([code, stdout], [130, ''])
    assert.match(stderr, new RegExp(`muster webhooks deliveries ${id}`))
  })

  it('makes a new secret, and both sign', async () => {
    const { id, secret } = await create('run.completed')
    const rotated = await call('rotate-secret', id)
    assert.equal(rotated.code, 0)
    assert.match(rotated.stderr, /The old secret also signs for 24 hours/)
    assert.match(rotated.stdout, /secret +whsec_\S+ {2}\(shown only once\)/)
    assert.ok(!rotated.stdout.includes(secret))
    await call('test', id)
    assert.equal(String(receiver.received[0]?.headers['webhook-signature']).split(' ').length, 2)
  })

  it('says what is wrong, with the exit code of its kind', async () => {
    const { id } = await create('run.completed')
    const to = ['--to', receiver.url]
    const cases: [string[], number, RegExp][] = [
      [['create', '--to', 'http://93.184.215.14', '--event', 'run.failed'], 2, /url scheme http/],
      [
        ['create', '--to', 'https://10.0.0.1', '--event', 'run.failed'],
        2,
        /not publicly reachable/,
      ],
      [['create', ...to, '--event', 'run.queued'], 2, /run\.started, run\.completed/],
      [['create', ...to], 2, /--event/],
      [['create', '--url', receiver.url, '--event', 'run.failed'], 2, /--to/],
      [['create', ...to, '--event', 'run.failed', '--workflow', 'Nobody'], 5, /"Nobody"/],
      [['update', id], 2, /nothing to change; see muster webhooks update/],
      [['update', id, '--pause', '--activate'], 2, /--pause.*cannot be used with.*--activate/],
      [['update', id, '--workflow', 'x', '--all-workflows'], 2, /cannot be used with/],
      [['deliveries', id, '--limit', '0'], 2, /from 1 to 1000/],
      ...['show', 'delete', 'test', 'deliveries', 'rotate-secret'].map(
        (verb): [string[], number, RegExp] => [[verb, absent], 5, /no webhook/],
      ),
      [['redeliver', id, 'dlv_00000000000000000000000000'], 5, /no delivery/],
    ]
    await Promise.all(
      cases.map(async ([args, code, message]) => {
        const finished = await call(...args, '--json')
        assert.equal(finished.code, code, `${args.join(' ')}: ${finished.stderr}`)
        assert.match(json(finished.stderr).error.message, message)
      }),
    )
    await call('update', id, '--pause')
    const paused = await call('test', id)
    assert.equal(paused.code, 1)
    assert.match(paused.stderr, /not active/)
  })
})
