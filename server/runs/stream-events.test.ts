import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { complete, startTestApp, type TestApp } from '../../test/test-app.ts'

let app: TestApp
let other: { url: string | undefined } & AsyncDisposable
let held = Promise.withResolvers<void>()

before(async () => {
  app = await startTestApp({
    answer: (_request, response) => void held.promise.then(() => complete(response, 'done')),
  })
  other = await app.startAnother('api')
})
after(async () => {
  await other[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

async function triggerRun(): Promise<string> {
  const workflow = await app.call('POST', '/v1/workflows', { body: { name: 'w' } })
  const run = await app.call('POST', `/v1/workflows/${workflow.body.data.id}/runs`, {
    body: { input: 'x' },
  })
  return run.body.data.id
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
      assert.deepEqual(
        rest.map(({ event }) => event),
        wholeLife.slice(3),
      )
      assert.deepEqual(
        rest.map(({ id }) => id),
        ['4', '5', '6', '7'],
      )
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

describe('?wait', () => {
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
