import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { until } from '../../../rig/until.ts'
import { pluck } from '../../../test/pluck.ts'
import { fixture } from '../../../test/fixture.ts'
import { codeOf } from '../../../test/api-client.ts'
import { startTestApp } from '../../../test/test-app.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { passTime } from '../../../test/pass-time.ts'

const app = fixture(() => startTestApp({ intervals: { hooksMs: 20 } }))

const crew = [{ role: 'r', systemPrompt: 's' }]

async function createHook(fields: object = {}) {
  const workflow_id = await app.createWorkflow({ crew })
  return app.post('/v1/hooks', { workflow_id, scheme: 'none', ...fields })
}

interface Sending {
  headers?: Record<string, string>
  method?: string
}

async function send(url: string, body: unknown, { headers = {}, method = 'POST' }: Sending = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'GET' ? {} : { body: text }),
  })
  const answered = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, body: isJson ? JSON.parse(answered) : answered }
}

/** The delivery as soon as it is settled. */
async function settled(hookId: string, id: string) {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  let delivery: any
  await until('a delivery is settled', 20_000, async () => {
    delivery = await app.get(`/v1/hooks/${hookId}/deliveries/${id}`)
    return delivery.status !== 'pending'
  })
  return delivery
}

async function deliver(hook: { id: string; url: string }, body: unknown, sending?: Sending) {
  const { status, body: answer } = await send(hook.url, body, sending)
  assert.equal(status, 202, JSON.stringify(answer))
  return settled(hook.id, answer.data.id)
}

const github = (secret: string, body: unknown, event = 'issues', id = '1') => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex')}`,
  'x-github-event': event,
  'x-github-delivery': id,
})

describe('a hook', () => {
  it('starts a run of an event, in its own name, with filter and templates', async () => {
    const hook = await createHook({
      name: 'New issues',
      scheme: 'github',
      filter: 'event.type == "issues" && body.action == "opened"',
      input: '{{ body.issue.title }} by {{ body.sender.login }}',
      data: { issue: '{{ body.issue }}', number: '{{ body.issue.number }}' },
      tags: { repo: '{{ body.repository }}', event: '{{ event.id }}' },
    })
    assert.match(hook.url, /\/hooks\/[\w-]{67}$/)
    assert.equal(hook.has_secret, true)
    const issue = { title: 'It is slow', number: 7 }
    const body = { action: 'opened', issue, sender: { login: 'ada' }, repository: 'acme/shop' }
    const delivery = await deliver(hook, body, { headers: github(hook.secret, body) })
    assert.equal(delivery.status, 'started', delivery.why)
    assert.equal(delivery.event_type, 'issues')
    assert.equal(delivery.body, JSON.stringify(body))
    assert.equal(delivery.headers['x-github-event'], 'issues')
    assert.equal('x-hub-signature-256' in delivery.headers, false)
    const run = await app.rest(delivery.run_id)
    assert.equal(run.status, 'completed')
    assert.equal(run.input, 'It is slow by ada')
    assert.deepEqual(run.data, { issue, number: 7 })
    assert.deepEqual(run.tags, { repo: 'acme/shop', event: '1' })
    const { on_behalf_of: people, ...by } = run.triggered_by
    assert.deepEqual(by, { type: 'system', id: hook.id, name: 'New issues' })
    assert.deepEqual(pluck(people, 'name'), ['first admin key'])

    const closed = { ...body, action: 'closed' }
    const other = await deliver(hook, closed, {
      headers: github(hook.secret, closed, 'issues', '2'),
    })
    assert.equal(other.status, 'filtered')
    const ping = { zen: 'Keep it logically awesome.' }
    const answered = await deliver(hook, ping, { headers: github(hook.secret, ping, 'ping', '3') })
    assert.equal(answered.status, 'answered')
    assert.equal((await app.get(`/v1/hooks/${hook.id}`)).last_delivery.id, answered.id)
    assert.equal((await app.get(`/v1/runs?workflow_id=${hook.workflow_id}`)).length, 1)
  })

  it('gives a run the body itself where it has no templates', async () => {
    const hook = await createHook()
    const object = await deliver(hook, { line: 4 })
    assert.deepEqual((await app.rest(object.run_id)).data, { line: 4 })
    const text = await deliver(hook, 'plain words', { headers: { 'content-type': 'text/plain' } })
    assert.equal((await app.rest(text.run_id)).input, 'plain words')
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const fields = await deliver(hook, 'name=Ada+L.&note=%C3%BC', form)
    assert.deepEqual((await app.rest(fields.run_id)).data, { name: 'Ada L.', note: 'ü' })
  })

  it('keeps the numbers of an event as they were written', async () => {
    const hook = await createHook({
      input: 'Order {{ body.id }} of {{ body.customer }}',
      data: { id: '{{ body.id }}', total: '{{ body.total }}' },
    })
    const body = '{"id":8202522731445525542,"customer":{"id":7},"total":1e400}'
    const run = await app.rest((await deliver(hook, body)).run_id)
    assert.equal(run.input, 'Order 8202522731445525542 of {"id":7}')
    assert.deepEqual(run.data, { id: '8202522731445525542', total: '1e400' })
    const whole = await deliver(await createHook(), body)
    assert.equal((await app.rest(whole.run_id)).data.id, '8202522731445525542')
  })

  it('takes the same body again as another event, if it is told to', async () => {
    const hook = await createHook({ dedupe: 'none' })
    const [one, other] = await Promise.all([send(hook.url, { a: 1 }), send(hook.url, { a: 1 })])
    assert.deepEqual([one.body.data.status, other.body.data.status], ['accepted', 'accepted'])
    assert.notEqual(one.body.data.id, other.body.data.id)
    await app.patch(`/v1/hooks/${hook.id}`, { dedupe: 'event' })
    const again = await send(hook.url, { a: 1 })
    assert.equal(again.body.data.status, 'accepted')
    assert.equal((await send(hook.url, { a: 1 })).body.data.status, 'repeated')
  })

  it("takes GitHub's documented secret, and refuses one that its scheme cannot use", async () => {
    const secret = "It's a Secret to Everybody ü"
    const hook = await createHook({ scheme: 'github', secret })
    const body = { action: 'opened' }
    const delivery = await deliver(hook, body, { headers: github(secret, body) })
    assert.equal(delivery.status, 'started', delivery.why)
    const workflow_id = await app.createWorkflow({ crew })
    const short = await app.call('POST', '/v1/hooks', {
      body: { workflow_id, scheme: 'standard_webhooks', secret: 'whsec_c2hvcnQ=' },
    })
    assert.deepEqual(codeOf(short), [400, 'invalid_value'])
    for (const edge of [' padded secret', 'padded secret ', 'new\nline secret']) {
      const body = { workflow_id, scheme: 'github', secret: edge }
      const refused = await app.call('POST', '/v1/hooks', { body })
      assert.match(refused.body.error.message, /secret/, edge)
    }
  })

  it('answers a command of Slack with nothing', async () => {
    const secret = '8f742231b10e8888abcd99yyyzzz85a5'
    const hook = await createHook({ scheme: 'slack', secret })
    const at = Math.floor(Date.now() / 1_000)
    const body = 'command=%2Freport&text=now'
    const mac = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(at),
      'x-slack-signature': `v0=${mac}`,
    }
    assert.deepEqual(await send(hook.url, body, { headers }), { status: 200, body: '' })
    const [stored] = await app.get(`/v1/hooks/${hook.id}/deliveries`)
    assert.equal(stored.event_type, '/report')
  })

  it('refuses a body that it cannot read, and keeps why', async () => {
    const hook = await createHook()
    const parts = { headers: { 'content-type': 'multipart/form-data; boundary=x' } }
    assert.deepEqual(codeOf(await send(hook.url, 'parts', parts)), [415, 'unsupported_media_type'])
    const zipped = { headers: { 'content-encoding': 'gzip' } }
    assert.deepEqual(codeOf(await send(hook.url, 'zip', zipped)), [415, 'unsupported_media_type'])
    const [stored] = await app.get(`/v1/hooks/${hook.id}/deliveries`)
    assert.equal(stored.status, 'refused')
    assert.match(stored.why, /multipart\/form-data, expected JSON/)
  })

  it('answers a check of its address without effect', async () => {
    const hook = await createHook()
    for (const method of ['GET', 'HEAD']) {
      const checked = await fetch(hook.url, { method })
      assert.equal(checked.status, 200, method)
      await checked.text()
      const unknown = await fetch(`${hook.url.slice(0, -1)}_`, { method })
      assert.equal(unknown.status, 404, method)
      await unknown.text()
    }
    assert.deepEqual(await app.get(`/v1/hooks/${hook.id}/deliveries`), [])
  })

  it('makes one run of an event, however often and at once it comes', async () => {
    const hook = await createHook({ event_id_header: 'X-Id' })
    const one = { headers: { 'x-id': 'a' } }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => send(hook.url, { at }, one)),
    )
    const ids = new Set(answers.map(({ body }) => body.data.id))
    assert.equal(ids.size, 1)
    assert.equal(answers.filter(({ body }) => body.data.status === 'accepted').length, 1)
    const delivery = await settled(hook.id, [...ids][0])
    await until('all repeats are counted', 5_000, async () => {
      const { repeats } = await app.get(`/v1/hooks/${hook.id}/deliveries/${delivery.id}`)
      return repeats === 19
    })
    // Without an id, equal bytes are the same event.
    assert.equal((await deliver(hook, { other: 1 })).status, 'started')
    assert.equal((await send(hook.url, { other: 1 })).body.data.status, 'repeated')
    assert.equal((await app.get(`/v1/runs?workflow_id=${hook.workflow_id}`)).length, 2)
    // After 72 hours, equal bytes are a new event.
    await passTime(app.database, '73 hours')
    assert.equal((await send(hook.url, { other: 1 })).body.data.status, 'accepted')
  })

  it('refuses what is not signed, keeps why, and starts nothing', async () => {
    const hook = await createHook({ scheme: 'standard_webhooks' })
    const sign = (at: Date) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(hook.secret).sign('msg_1', at, '{"a":1}'),
    })
    const late = sign(new Date(Date.now() - 3_600_000))
    const good = sign(new Date())
    for (const [body, headers, why] of [
      [{ a: 1 }, {}, /missing/],
      [{ a: 2 }, good, /does not fit/],
      [{ a: 1 }, late, /it was signed 360\d s ago/],
    ] as const) {
      const { status, body: answer } = await send(hook.url, body, { headers })
      assert.equal(status, 401)
      assert.equal(answer.error.code, 'invalid_signature')
      const [refused] = await app.get(`/v1/hooks/${hook.id}/deliveries?status=refused`)
      assert.match(refused.why, why)
      assert.equal(refused.bytes, 0)
      const again = `/v1/hooks/${hook.id}/deliveries/${refused.id}/send-again`
      assert.deepEqual(codeOf(await app.call('POST', again)), [409, 'delivery_refused'])
    }
    assert.equal((await deliver(hook, { a: 1 }, { headers: good })).status, 'started')
    assert.equal((await send(hook.url, { a: 1 }, { headers: good })).body.data.status, 'repeated')
    assert.equal((await app.get(`/v1/runs?workflow_id=${hook.workflow_id}`)).length, 1)
  })

  it('takes two secrets for a day when the secret is rotated', async () => {
    const hook = await createHook({ scheme: 'github' })
    const { secret } = await app.post(`/v1/hooks/${hook.id}/rotate-secret`, {})
    assert.notEqual(secret, hook.secret)
    for (const [at, key] of [hook.secret, secret].entries()) {
      const body = { at }
      const headers = github(key, body, 'issues', `r${at}`)
      assert.equal((await deliver(hook, body, { headers })).status, 'started')
    }
    await app.sql`update hooks set previous_secret_expires_at = now() where id = ${hook.id}`
    const headers = github(hook.secret, { at: 9 }, 'issues', 'r9')
    assert.equal((await send(hook.url, { at: 9 }, { headers })).status, 401)
    assert.equal((await app.get(`/v1/hooks/${hook.id}`)).previous_secret_expires_at, null)
  })

  it('answers the check of Slack, and has no secret before one is given', async () => {
    const hook = await createHook({ scheme: 'slack' })
    assert.equal(hook.has_secret, false)
    assert.equal(hook.secret, null)
    const body = JSON.stringify({ type: 'url_verification', challenge: 'abc', token: 'x' })
    const headers = () => {
      const at = Math.floor(Date.now() / 1_000)
      const mac = createHmac('sha256', 'slack-signing').update(`v0:${at}:${body}`).digest('hex')
      return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${mac}` }
    }
    const before = await send(hook.url, body, { headers: headers() })
    assert.match(before.body.error.message, /has no secret yet/)
    await app.post(`/v1/hooks/${hook.id}/rotate-secret`, { secret: 'slack-signing' })
    const answer = await send(hook.url, body, { headers: headers() })
    assert.deepEqual(answer, { status: 200, body: 'abc' })
  })

  it('keeps nothing while it is paused', async () => {
    const hook = await createHook({ status: 'paused' })
    const { status, body } = await send(hook.url, { a: 1 })
    assert.equal(status, 202)
    assert.deepEqual(body.data, { id: null, status: 'ignored' })
    assert.deepEqual(await app.get(`/v1/hooks/${hook.id}/deliveries`), [])
    await app.patch(`/v1/hooks/${hook.id}`, { status: 'active' })
    assert.equal((await deliver(hook, { a: 1 })).status, 'started')
  })

  it('keeps what failed with the reason, and can send it again', async () => {
    const hook = await createHook({ filter: 'body.kind == "x"', input: '{{ body.text }}' })
    const missing = await deliver(hook, { text: 'a' })
    assert.equal(missing.status, 'failed')
    assert.match(missing.why, /^filter: No such key: kind \(line 1, column 6\)/)
    const empty = await deliver(hook, { kind: 'x' })
    assert.match(empty.why, /^input: .*input has 0 characters, at least 1/)
    const huge = await deliver(hook, { kind: 'x', text: 'y'.repeat(20_000) })
    assert.match(huge.why, /input has 20000 characters, at most 16000/)
    const nul = await deliver(hook, '{"kind":"x","text":"\\u0000"}')
    assert.match(nul.why, /NUL/)
    const deep = await deliver(hook, '{"kind":'.repeat(5_000) + '1' + '}'.repeat(5_000))
    assert.match(deep.why, /nested more than 100 levels/)
    await app.patch(`/v1/hooks/${hook.id}`, { input: '{% for i in (1..9999999) %}x{% endfor %}' })
    const loops = await deliver(hook, { kind: 'x', at: 1 })
    assert.match(loops.why, /^input: memory alloc limit exceeded/)

    await app.patch(`/v1/hooks/${hook.id}`, { filter: null, input: 'now {{ body.text }}' })
    const path = `/v1/hooks/${hook.id}/deliveries/${missing.id}/send-again`
    const key = { headers: { 'idempotency-key': 'again-1' } }
    assert.equal((await app.call('POST', path, key)).status, 202)
    const again = await settled(hook.id, missing.id)
    assert.equal(again.status, 'started', again.why)
    assert.equal((await app.rest(again.run_id)).input, 'now a')
    await app.forgetAnswer('again-1')
    await app.call('POST', path, key)
    assert.equal((await settled(hook.id, missing.id)).run_id, again.run_id)
  })

  it('keeps why a run was refused', async () => {
    const hook = await createHook()
    await app.delete(`/v1/workflows/${hook.workflow_id}`)
    assert.match((await deliver(hook, { a: 2 })).why, /workflow .* not found|no workflow/i)
  })

  it('keeps the newest 1,000 deliveries, and the newest 100 that were refused', async () => {
    const hook = await createHook({ scheme: 'github' })
    await app.sql`update hooks set delivery_count = 1000 where id = ${hook.id}`
    await app.sql`
      insert into hook_deliveries (account_id, id, hook_id, number, headers, content_type, body, status, settled_at, received_at)
      select ${app.accountId}, 'hdl_old' || n, ${hook.id}, n, '{}', '', 'x', 'filtered', now(), now() - interval '1 day'
      from generate_series(1, 1000) as n`
    await app.sql`
      insert into hook_deliveries (account_id, id, hook_id, headers, content_type, body, status, settled_at, received_at)
      select ${app.accountId}, 'hdl_no' || n, ${hook.id}, '{}', '', '', 'refused', now(), now() - interval '1 day'
      from generate_series(1, 100) as n`
    const body = { a: 1 }
    await deliver(hook, body, { headers: github(hook.secret, body) })
    await send(hook.url, body)
    const counts = await app.sql`
      select status = 'refused' as refused, count(*)::int as count from hook_deliveries
      where hook_id = ${hook.id} group by 1 order by 1`
    assert.deepEqual(
      counts.map(({ count }) => count),
      [1_000, 100],
    )
  })
})

describe('an address', () => {
  it('is of one hook of one account, and shown to members alone', async () => {
    const hook = await createHook()
    const token = hook.url.split('/').at(-1)
    for (const wrong of ['x', token.slice(0, -1), `${token.slice(0, -1)}_`, `B${token.slice(1)}`]) {
      assert.equal((await send(`${app.url}/hooks/${wrong}`, {})).status, 404)
    }
    assert.equal((await send(hook.url, '', { method: 'PUT' })).status, 405)
    const viewer = await app.post('/v1/api-keys', { name: 'v', role: 'viewer' })
    assert.equal((await app.get(`/v1/hooks/${hook.id}`, viewer.key)).url, null)
    const other = await createAccount(app.database, 'another')
    const { status } = await app.call('GET', `/v1/hooks/${hook.id}`, { key: other.adminKey })
    assert.equal(status, 404)
    await app.delete(`/v1/hooks/${hook.id}`)
    assert.equal((await send(hook.url, {})).status, 404)
  })

  it('takes events however many requests to unknown addresses come from the same network', async () => {
    const hook = await createHook()
    const wrong = `${app.url}/hooks/${hook.url.split('/').at(-1).slice(0, -1)}`
    const statuses = []
    for (let at = 0; at < 62; at++) statuses.push((await send(wrong, { at })).status)
    assert.deepEqual([statuses[0], statuses.at(-1)], [404, 429])
    assert.equal((await send(hook.url, { at: 'last' })).status, 202)
  })

  it('is bounded in the size and the time of a body', async () => {
    const hook = await createHook()
    const { status } = await send(hook.url, 'x'.repeat(1_100_000))
    assert.equal(status, 413)
    assert.equal((await send(hook.url, '')).status, 400)
    const large = await deliver(hook, 'x'.repeat(1_000_000))
    assert.equal(large.bytes, 1_000_000)
    assert.match(large.why, /input has 1000000 characters/)
  })

  it('does not wait for a body that does not come', async () => {
    await using slow = await startTestApp({ intervals: { hookBodyMs: 200 } })
    const workflow_id = await slow.createWorkflow({ crew })
    const { url } = await slow.post('/v1/hooks', { workflow_id, scheme: 'none' })
    const { hostname, port, pathname } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    assert.match(answer.toString(), /^HTTP\/1.1 408/)
    socket.destroy()
  })

  it('takes no more while too many events wait', async () => {
    const hook = await createHook()
    await app.patch(`/v1/workflows/${hook.workflow_id}`, { status: 'paused' })
    await app.sql`
      insert into hook_deliveries (account_id, id, hook_id, number, headers, content_type, body, status, run_id, next_try_at)
      select ${app.accountId}, 'hdl_w' || n, ${hook.id}, n, '{}', '', 'x', 'pending', 'run_w' || n, now() + interval '1 hour'
      from generate_series(1, 20000) as n`
    const { status, body } = await send(hook.url, { a: 1 })
    assert.deepEqual([status, body.error.code], [429, 'rate_limited'])
    await app.delete(`/v1/hooks/${hook.id}`)
  })

  it('is bounded in events a minute', async () => {
    await using limited = await startTestApp({ env: { MUSTER_ACCOUNT_RATE_LIMIT: '40' } })
    const workflow_id = await limited.createWorkflow({ crew })
    const { url } = await limited.post('/v1/hooks', { workflow_id, scheme: 'none' })
    const statuses = []
    for (let at = 0; at < 21; at++) statuses.push((await send(url, { at })).status)
    assert.deepEqual(statuses.slice(18), [202, 202, 429])
  })
})

describe('a preview', () => {
  it('shows what filter and templates make of a delivery or a body, while one types', async () => {
    const hook = await createHook({ name: 'Orders', input: '{{ body.order }}' })
    const delivery = await deliver(hook, { order: 'A-1', total: 12 })
    const saved = await app.post('/v1/hooks/preview', {
      hook_id: hook.id,
      delivery_id: delivery.id,
    })
    assert.deepEqual(saved.run, { input: 'A-1', files: [], tags: {} })
    assert.equal(saved.passes, true)
    assert.deepEqual(saved.values.body, { order: 'A-1', total: 12 })
    const typed = await app.post('/v1/hooks/preview', {
      hook_id: hook.id,
      delivery_id: delivery.id,
      filter: 'body.total > 100',
      input: '{{ hook.name }}: {{ body.order }}',
      data: { total: '{{ body.total }}' },
    })
    assert.equal(typed.passes, false)
    assert.deepEqual(typed.run, { input: 'Orders: A-1', data: { total: 12 }, files: [], tags: {} })
    const wrong = await app
      .post('/v1/hooks/preview', {
        body: '{"a":1}',
        filter: 'body.b == 1',
        input: '{{ body.a',
        tags: { 'Not a key': 'x' },
      })
      .catch((error: Error) => error.message)
    assert.match(String(wrong), /tags/)
    const both = await app.post('/v1/hooks/preview', {
      body: '{"a":1}',
      filter: 'body.b ==',
      input: '{{ body.a',
    })
    assert.deepEqual(
      both.problems.map(({ field }: { field: string }) => field),
      ['filter', 'input'],
    )
    assert.equal(both.run, null)
    assert.equal(both.passes, null)
    assert.equal((await app.get(`/v1/runs?workflow_id=${hook.workflow_id}`)).length, 1)
  })

  it('refuses a filter or a template that cannot be read when it is saved', async () => {
    const workflow_id = await app.createWorkflow({ crew })
    for (const [fields, code, param] of [
      [{ filter: 'body.a ==' }, 'invalid_expression', 'filter'],
      [{ filter: 'nope == 1' }, 'invalid_expression', 'filter'],
      [{ data: { a: ['{{ x'] } }, 'invalid_template', 'data.a[0]'],
      [{ tags: { a: '{% if' } }, 'invalid_template', 'tags.a'],
      [{ scheme: 'none', secret: 'x'.repeat(9) }, 'invalid_value', 'secret'],
      [{ workflow_id: 'wf_x' }, 'unknown_workflow', 'workflow_id'],
    ] as const) {
      const body = { workflow_id, scheme: 'none', ...fields }
      const answer = await app.call('POST', '/v1/hooks', { body })
      assert.deepEqual(codeOf(answer), [400, code])
      assert.equal(answer.body.error.param, param)
    }
  })
})
