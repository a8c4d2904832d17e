import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import type { Context } from '../context.ts'
import { RunChanges } from '../engine/feed/feed.ts'
import { retrieveRun, WaitedRuns } from './retrieve.ts'
import { streamEvents } from './stream-events.ts'
import { complete, startTestApp } from '../../test/test-app.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

let held = Promise.withResolvers<void>()

const app = fixture(() =>
  startTestApp({
    answer: (_request, response) => void held.promise.then(() => complete(response, 'done')),
  }),
)
const other = fixture(() => app.startAnother('api'))

async function triggerRun(): Promise<string> {
  const workflow = await app.post('/v1/workflows', { name: 'w' })
  return await app.trigger(workflow.id, 'x')
}

interface Frame {
  id: string
  event: string
  data: { type: string; sequence: number; run_id: string }
}

async function* readFrames(response: Response): AsyncGenerator<Frame> {
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString()
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1]
      const id = field('id')
      if (id === undefined) continue
      yield { id, event: field('event') ?? '', data: JSON.parse(field('data') ?? '') }
    }
  }
}

function open(url: string | undefined, runId: string, lastEventId?: string): Promise<Response> {
  return fetch(`${url}/v1/runs/${runId}/events`, {
    headers: {
      authorization: `Bearer ${app.key}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  })
}

const wholeLife = [
  'run.queued',
  'run.started',
  'step.started',
  'step.completed',
  'step.started',
  'step.completed',
  'run.completed',
]

describe('the event stream', () => {
  it('follows a run live, here and from another process, and ends with it', async () => {
    held = Promise.withResolvers()
    const runId = await triggerRun()
    const responses = await Promise.all([open(app.url, runId), open(other.url, runId)])
    assert.equal(responses[0].headers.get('content-type'), 'text/event-stream; charset=utf-8')
    const streams = responses.map(readFrames)
    for (const stream of streams) {
      for (const type of wholeLife.slice(0, 3))
        assert.equal((await stream.next()).value.event, type)
    }
    held.resolve()
    for (const stream of streams) {
      const rest: Frame[] = []
      for await (const frame of stream) rest.push(frame)
      assert.deepEqual(pluck(rest, 'event'), wholeLife.slice(3))
      assert.deepEqual(pluck(rest, 'id'), ['4', '5', '6', '7'])
      assert.deepEqual(
        rest.map(({ data }) => data.sequence),
        [4, 5, 6, 7],
      )
      assert.equal(rest[0]?.data.run_id, runId)
    }
  })

  it('resumes behind Last-Event-ID, and ends at once behind the last', async () => {
    held.resolve()
    const runId = await triggerRun()
    await app.call('GET', `/v1/runs/${runId}?wait=20`)
    const ids: string[] = []
    for await (const frame of readFrames(await open(app.url, runId, '5'))) ids.push(frame.id)
    assert.deepEqual(ids, ['6', '7'])
    for await (const frame of readFrames(await open(app.url, runId, '7'))) assert.fail(frame.id)
    assert.equal((await open(app.url, runId, 'x')).status, 400)
  })

  it('ends when the process stops', async () => {
    held = Promise.withResolvers()
    const third = await app.startAnother('api')
    const runId = await triggerRun()
    const stream = readFrames(await open(third.url, runId))
    await stream.next()
    const stopped = third[Symbol.asyncDispose]()
    for await (const _ of stream);
    await stopped
    held.resolve()
    await app.call('GET', `/v1/runs/${runId}?wait=20`)
  })
})

it('a stream of a stopping process has what is stored, up to the last event', async () => {
  held.resolve()
  const runId = await triggerRun()
  await app.call('GET', `/v1/runs/${runId}?wait=20`)
  const feed = new RunChanges(app.database, (error) => assert.fail(String(error)))
  feed[Symbol.dispose]()
  const ctx = { accountId: app.accountId, reads: app.database, feed } as unknown as Context
  const { signal } = new AbortController()
  const { events } = await streamEvents(ctx, runId, 0, signal, (work) => work())
  assert.deepEqual(pluck((await Array.fromAsync(events)).flat(), 'type'), wholeLife)
})

describe('a key that ends', () => {
  it('ends the streams and waits that it holds, and those of no other key', async () => {
    held = Promise.withResolvers()
    const runId = await triggerRun()
    const makeKey = async () => await app.post('/v1/api-keys', { name: 'k', role: 'viewer' })
    const revoked = await makeKey()
    const expiring = await makeKey()
    const openings = [revoked.key, expiring.key, app.key].map(async (key) => {
      const headers = { authorization: `Bearer ${key}` }
      const stream = await fetch(`${app.url}/v1/runs/${runId}/events`, { headers })
      return readFrames(stream)
    })
    const [ofRevoked, ofExpiring, ofOther] = await Promise.all(openings)
    assert.ok(ofRevoked && ofExpiring && ofOther)
    const wait = app.call('GET', `/v1/runs/${runId}?wait=60`, { key: revoked.key })
    for (const stream of [ofRevoked, ofExpiring, ofOther]) await stream.next()

    // Another process revokes one key, and the other key expires.
    await fetch(`${other.url}/v1/api-keys/${revoked.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${app.key}` },
    })
    await app.sql`update api_keys set expires_at = ${new Date()} where id = ${expiring.id}`
    for await (const { event } of ofRevoked) assert.notEqual(event, 'run.completed')
    for await (const { event } of ofExpiring) assert.notEqual(event, 'run.completed')
    const { status, body } = await wait
    assert.equal(status, 401)
    assert.equal(body.error.code, 'invalid_api_key')

    held.resolve()
    const rest: string[] = []
    for await (const { event } of ofOther) rest.push(event)
    assert.equal(rest.at(-1), 'run.completed')
  })
})

describe('?wait', () => {
  it('reads a run once for all who wait, when it rests', async () => {
    held = Promise.withResolvers()
    const runId = await triggerRun()
    const data = await app.get('/v1/account')
    let reads = 0
    const database = app.database.withPlugin({
      transformQuery: ({ node }) => {
        if (JSON.stringify(node).includes('json_agg(steps')) reads++
        return node
      },
      transformResult: async ({ result }) => result,
    })
    using watcher = new RunChanges(database, (error) => assert.fail(String(error)))
    const ctx = {
      database,
      reads: database,
      feed: watcher,
      accountId: data.id,
    } as unknown as Context
    const waited = new WaitedRuns()
    const hold = { seconds: 30, signal: new AbortController().signal }
    const make = async () => [Buffer.from(JSON.stringify(await retrieveRun(ctx, runId)))]
    const texts = Promise.all(
      Array.from({ length: 300 }, () => waited.answer(ctx, runId, hold, make)),
    )
    await app.models.until(() => app.models.active > 0)
    // The waiting requests have seen the start of the step and keep waiting.
    await watcher.tick()
    assert.equal(reads, 0)
    held.resolve()
    const [first, ...others] = await texts
    assert.equal(JSON.parse(String(first?.[0])).status, 'completed')
    assert.ok(others.every((text) => text === first))
    assert.equal(reads, 1)
  })

  it('of an absent run, or of another account, is 404', async () => {
    held.resolve()
    const runId = await triggerRun()
    const { adminKey: key } = await createAccount(app.database, 'stranger')
    assert.equal((await app.call('GET', `/v1/runs/${runId}?wait=1`, { key })).status, 404)
    const absent = 'run_00000000000000000000000000'
    assert.equal((await app.call('GET', `/v1/runs/${absent}?wait=1`)).status, 404)
  })

  it('answers with the same headers and body as without', async () => {
    held.resolve()
    const runId = await triggerRun()
    const waited = await app.call('GET', `/v1/runs/${runId}?wait=20`)
    const plain = await app.call('GET', `/v1/runs/${runId}`)
    assert.deepEqual(waited.body, plain.body)
    for (const name of ['content-type', 'content-length']) {
      assert.equal(waited.headers.get(name), plain.headers.get(name))
    }
  })

  it('answers when a run that another process carries has ended', async () => {
    held = Promise.withResolvers()
    const runId = await triggerRun()
    const waited = fetch(`${other.url}/v1/runs/${runId}?wait=30`, {
      headers: { authorization: `Bearer ${app.key}` },
    }).then((response) => response.json() as Promise<{ data: { status: string } }>)
    await app.models.until(() => app.models.active > 0)
    held.resolve()
    assert.equal((await waited).data.status, 'completed')
  })

  it('answers with what the run is then when the time is over', async () => {
    held = Promise.withResolvers()
    const runId = await triggerRun()
    await app.models.until(() => app.models.active > 0)
    const { status, body } = await app.call('GET', `/v1/runs/${runId}?wait=1`)
    assert.equal(status, 200)
    assert.equal(body.data.status, 'running')
    held.resolve()
    await app.call('GET', `/v1/runs/${runId}?wait=20`)
  })
})
