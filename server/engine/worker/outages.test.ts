import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { untilFound } from '../../../rig/until.ts'
import { sql } from 'kysely'
import { earlier } from '../../../test/earlier.ts'
import { complete, echo, startTestApp, testModel, type TestApp } from '../../../test/test-app.ts'
import { send } from '../../../rig/scripted-server.ts'

const crew = [{ role: 'a', systemPrompt: 'a' }]

async function trigger(app: TestApp, fields: object = {}): Promise<string> {
  const { id } = await app.post('/v1/workflows', { name: 'w', crew, ...fields })
  return (await app.post(`/v1/workflows/${id}/runs`, { input: 'x' })).id
}

const read = async (app: TestApp, id: string) => (await app.call('GET', `/v1/runs/${id}`)).body.data
const ended = (app: TestApp, id: string) => app.rest(id)

const until = <T>(look: () => Promise<T | undefined | false>): Promise<T> =>
  untilFound('what the test expects', 30_000, async () => (await look()) || undefined)

/** Makes the next try due. */
const hurry = (app: TestApp) =>
  sql`update jobs set ready_at = now() where worker is null`.execute(app.database)

function down(response: ServerResponse): void {
  send(response, { error: { message: 'away' } }, 429, { 'retry-after': '61' })
}

describe('a provider that is away', () => {
  it('holds runs, which say so, use up neither tries nor time, and go on', async () => {
    let isDown = true
    await using app = await startTestApp({
      answer: (request, response) => (isDown ? down(response) : echo(request, response)),
    })
    const id = await trigger(app, { limits: { max_run_seconds: 5 } })
    const held = await until(async () => (await read(app, id)).held ?? undefined)
    assert.equal(held.reason, 'provider_unavailable')
    assert.match(held.message, /status 429, away\. The next try is at /)
    assert.ok(Date.parse(held.next_try_at) > Date.now() + 40_000)
    assert.ok(held.since !== null)
    // Simulates a wait of a minute, which is longer than the run's timeout.
    await sql`update runs set started_at = ${earlier('started_at', '60 s')},
      counted_to = ${earlier('counted_to', '60 s')}, held_since = ${earlier('held_since', '60 s')}
      `.execute(app.database)
    await sql`update events set created_at = ${earlier('created_at', '60 s')}`.execute(app.database)
    const { rows } = await sql<{ tries: number }>`select tries from steps`.execute(app.database)
    assert.equal(rows[0]?.tries, 0)
    isDown = false
    await using other = await app.startAnother('worker')
    assert.ok(other)
    await until(async () => {
      await hurry(app)
      return (await read(app, id)).status === 'completed'
    })
    assert.equal((await read(app, id)).held, null)
  })

  it('fails them after limits.max_outage_seconds', async () => {
    await using app = await startTestApp({ answer: (_, response) => down(response) })
    const id = await trigger(app, { limits: { max_outage_seconds: 0 } })
    const run = await ended(app, id)
    assert.deepEqual([run.status, run.error_code], ['failed', 'step_failed'])
    assert.match(run.error, /limits\.max_outage_seconds of 0 is exceeded: .*status 429, away/)
  })

  it('is asked again at the end of limits.max_outage_seconds, however long it asks to wait', async () => {
    await using app = await startTestApp({ answer: (_, response) => down(response) })
    const id = await trigger(app, { limits: { max_outage_seconds: 30 } })
    const held = await until(async () => (await read(app, id)).held ?? undefined)
    const waitMs = Date.parse(held.next_try_at) - Date.parse(held.since)
    assert.ok(waitMs > 25_000 && waitMs <= 30_000, `waits for ${waitMs} ms`)
  })

  it('is timed from the first call without an answer, however long the run worked before', async () => {
    let calls = 0
    await using app = await startTestApp({
      answer: (request, response) => {
        calls += 1
        if (calls === 1) setTimeout(() => echo(request, response), 1_100)
        else down(response)
      },
    })
    const two = [...crew, { role: 'b', systemPrompt: 'b' }]
    const id = await trigger(app, { crew: two, limits: { max_outage_seconds: 1 } })
    const run = await until(async () => {
      const now = await read(app, id)
      return (now.held !== null || now.status === 'failed') && now
    })
    assert.deepEqual([run.status, run.error], ['running', null])
    assert.notEqual(run.steps[0].output, null)
  })

  it('is not as long as what the run lacked before', async () => {
    await using app = await startTestApp({ answer: (_, response) => down(response) })
    const id = await trigger(app, { limits: { max_outage_seconds: 3_600 } })
    await until(async () => (await read(app, id)).held ?? undefined)
    const lacked = { reason: 'no_worker', message: 'No memory' }
    await sql`update runs set held = ${JSON.stringify(lacked)}::jsonb,
      held_since = ${earlier('held_since', '7200 s')}`.execute(app.database)
    await hurry(app)
    const held = await until(async () => {
      const run = await read(app, id)
      assert.equal(run.status, 'running', run.error)
      return run.held?.reason === 'provider_unavailable' && run.held
    })
    assert.ok(Date.parse(held.since) > Date.now() - 60_000)
  })

  it('is the reason once a call has failed, whatever the run lacked before', async () => {
    let calls = 0
    await using app = await startTestApp({
      answer: (_, response) => {
        calls += 1
        send(response, { error: { message: 'slow down' } }, 429, { 'retry-after': '20' })
      },
    })
    const id = await trigger(app)
    await until(async () => (await read(app, id)).held ?? undefined)
    const lacked = { reason: 'no_worker', message: 'No memory' }
    await sql`update runs set held = ${JSON.stringify(lacked)}::jsonb, held_since = now()`.execute(
      app.database,
    )
    await hurry(app)
    const { held } = await until(async () => {
      const run = await read(app, id)
      return calls === 2 && run.held?.next_try_at > new Date().toISOString() && run
    })
    assert.equal(held.reason, 'provider_unavailable')
    assert.match(
      held.message,
      /^Cannot run test\/echo at Test: status 429, slow down \(try 2 of 10\)\. The next try is at /,
    )
  })

  it('ends for a model that is broken by itself, too: failed tries and held calls are one outage', async () => {
    let isHeldBack = false
    await using app = await startTestApp({
      answer: (request, response) => {
        if (request.model !== 'dead') echo(request, response)
        else if (isHeldBack) down(response)
        else send(response, { error: { message: 'Oops' } }, 500, { 'retry-after': '20' })
      },
      prepareModels: (file) => {
        file.models.push({ id: 'test/dead', provider: 'test', model: 'dead' })
      },
    })
    const healthy = await ended(app, await trigger(app))
    assert.equal(healthy.status, 'completed')
    const limits = { max_outage_seconds: 3_600 }
    const id = await trigger(app, { model: 'test/dead', limits })
    const first = await until(async () => (await read(app, id)).held ?? undefined)
    assert.match(first.message, /status 500, Oops \(try 1 of 10\)\. The next try is at /)
    const begun = Date.parse(first.since)
    assert.ok(begun <= Date.now() && begun > Date.now() - 10_000)
    isHeldBack = true
    await hurry(app)
    const second = await until(async () => {
      const { held } = await read(app, id)
      return held?.message.includes('away') && held
    })
    assert.equal(second.since, first.since)
    isHeldBack = false
    await sql`update runs set held_since = ${earlier('held_since', '3601 s')}`.execute(app.database)
    await hurry(app)
    const run = await ended(app, id)
    assert.deepEqual([run.status, run.error_code], ['failed', 'step_failed'])
    assert.match(run.error, /limits\.max_outage_seconds of 3600 is exceeded: .*status \d+, /)
  })

  it('is passed over where there are fallbacks, and the step says which model answered', async () => {
    await using app = await startTestApp({
      answer: (request, response) =>
        request.model === 'echo' ? down(response) : echo(request, response),
      prepareModels: (file) => {
        const [provider] = file.providers as { base_url: string }[]
        file.providers.push({ id: 'spare', base_url: provider?.base_url })
        file.models.push({ id: 'spare/one', provider: 'spare', price_in: 5, price_out: 5 })
      },
    })
    const id = await trigger(app, { fallbacks: ['spare/one'] })
    const run = await ended(app, id)
    assert.equal(run.status, 'completed')
    assert.equal(run.steps[0].model, 'spare/one')
    assert.equal(run.cost_usd, (15 * 5) / 1e6)
    const turns = (await app.call('GET', `/v1/runs/${id}/steps/0/turns`)).body.data
    assert.deepEqual(
      turns.map(({ model }: { model: string }) => model),
      ['spare/one'],
    )
    const body = { fallbacks: ['test/none'] }
    const refused = await app.call('PATCH', `/v1/workflows/${run.workflow_id}`, { body })
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'fallbacks[0]'])
    const four = { fallbacks: [testModel, testModel, testModel, testModel] }
    const many = await app.call('PATCH', `/v1/workflows/${run.workflow_id}`, { body: four })
    assert.equal(many.status, 400)
  })

  it('is not away for one broken model: no other run waits, and a fallback there answers', async () => {
    const words = 'no such deployment'
    await using app = await startTestApp({
      answer: (request, response) =>
        request.model === 'dead'
          ? send(response, { error: { message: words } }, 500)
          : echo(request, response),
      prepareModels: (file) => {
        file.models.push({ id: 'test/dead', provider: 'test', model: 'dead' })
      },
    })
    const broken = await trigger(app, { model: 'test/dead' })
    // Enough failures together to open the model's breaker.
    const fields = { model: 'test/dead', fallbacks: [testModel] }
    const spared = await Promise.all([trigger(app, fields), trigger(app, fields)])
    for (const id of spared) {
      const run = await ended(app, id)
      assert.deepEqual([run.status, run.steps[0]?.model], ['completed', testModel], run.error)
    }
    for (let n = 0; n < 5; n += 1) {
      const run = await ended(app, await trigger(app))
      assert.equal(run.status, 'completed')
      assert.ok(Date.parse(run.finished_at) - Date.parse(run.created_at) < 2_000)
    }
    const run = await until(async () => {
      await hurry(app)
      await ended(app, await trigger(app))
      const now = await read(app, broken)
      const isTold = now.held?.reason === 'provider_unavailable'
      assert.ok(!isTold || now.held.message.includes(words), now.held?.message)
      return now.status === 'failed' && now
    })
    assert.equal(run.error_code, 'step_failed')
    assert.match(run.error, /status 500, no such deployment \(after 10 tries\)$/)
  })

  it('is not one that refuses: no fallback answers what the own model refused', async () => {
    const refusals: Record<string, (response: ServerResponse) => void> = {
      'bad request': (response) => send(response, { error: { message: 'bad request' } }, 400),
      'bad key': (response) => send(response, { error: { message: 'bad key' } }, 401),
      'no credit': (response) =>
        send(response, { error: { message: 'no credit', code: 'insufficient_quota' } }, 429),
      'content filter': (response) => complete(response, 'I', 10, 5, 'content_filter'),
      "I won't": (response) =>
        send(response, {
          choices: [
            { index: 0, finish_reason: 'stop', message: { role: 'assistant', refusal: "I won't" } },
          ],
        }),
    }
    await using app = await startTestApp({
      answer: (request, response) => {
        const words = request.messages.at(-1)?.content ?? ''
        if (request.model === 'spare') complete(response, 'from the spare')
        else refusals[words]?.(response)
      },
      prepareModels: (file) => {
        file.models.push({ id: 'test/spare', provider: 'test', model: 'spare' })
      },
    })
    const { id } = await app.post('/v1/workflows', { name: 'w', crew, fallbacks: ['test/spare'] })
    for (const words of Object.keys(refusals)) {
      const started = await app.post(`/v1/workflows/${id}/runs`, { input: words })
      const run = await ended(app, started.id)
      assert.deepEqual([run.status, run.error_code], ['failed', 'step_failed'], words)
      assert.ok(run.error.includes(words), run.error)
    }
  })
})
