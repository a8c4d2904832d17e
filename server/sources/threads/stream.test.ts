import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { streamAnswer } from '../../../rig/stream-answer.ts'
import { fixture } from '../../../test/fixture.ts'
import { echo, startTestApp } from '../../../test/test-app.ts'
import { openThread, type TestThread } from './test-thread.ts'

const app = fixture(() => startTestApp({ answer: echo }))

interface Frame {
  id: number | undefined
  type: string
  data: Record<string, unknown> & { message?: { status: string }; answer?: { text: string } }
}

/** The frames of a thread's stream until one of them is the last that is wanted. */
async function read(
  thread: TestThread,
  isLast: (frame: Frame) => boolean,
  { after, deltas = false }: { after?: number; deltas?: boolean } = {},
): Promise<Frame[]> {
  const headers = {
    authorization: `Bearer ${app.key}`,
    ...(after !== undefined && { 'last-event-id': String(after) }),
  }
  const leaving = new AbortController()
  const path = `${thread.path}/events${deltas ? '?deltas=true' : ''}`
  const response = await fetch(`${app.url}${path}`, { headers, signal: leaving.signal })
  assert.equal(response.status, 200)
  const frames: Frame[] = []
  let text = ''
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(
    new TextDecoderStream(),
  )) {
    text += chunk
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1]
      const type = field('event')
      if (type === undefined) continue
      const id = field('id')
      frames.push({
        id: id === undefined ? undefined : Number(id),
        type,
        data: JSON.parse(field('data') ?? ''),
      })
      if (isLast(frames.at(-1) as Frame)) {
        leaving.abort()
        return frames
      }
    }
  }
  return frames
}

const isEndOf = (turn: number) => (frame: Frame) =>
  frame.type === 'message.changed' &&
  frame.data['thread_turn'] === turn &&
  frame.data.message?.status === 'answered'

describe('the stream of a thread', () => {
  it('has the events of all turns, with ids that grow, and goes on after any of them', async () => {
    const thread = await openThread(app)
    for (const text of ['one', 'two']) await thread.send(text)
    await thread.settled()
    const all = await read(thread, isEndOf(2))
    const logged = all.filter(({ id }) => id !== undefined)
    const ids = logged.map(({ id }) => id as number)
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(
      logged
        .filter(({ type }) => type === 'message.changed')
        .map(({ data }) => [data['thread_turn'], data.message?.status]),
      [
        [1, 'running'],
        [1, 'answered'],
        [2, 'running'],
        [2, 'answered'],
      ],
    )
    assert.equal(all.at(-1)?.data.answer?.text, 'echo: two')
    const completed = logged.filter(({ type }) => type === 'run.completed')
    assert.deepEqual(
      completed.map(({ data }) => data['thread_turn']),
      [1, 2],
    )
    for (const [place, { id }] of logged.slice(0, -1).entries()) {
      const rest = await read(thread, isEndOf(2), { after: id as number })
      assert.deepEqual(
        rest.map((frame) => frame.id),
        ids.slice(place + 1),
      )
    }
  })

  it('follows messages that are written later, with the text of the model', async () => {
    const thread = await openThread(app)
    app.answer = (_request, response) => void streamAnswer(response, 'Hello', { chunkUnits: 2 })
    const reading = read(thread, isEndOf(1), { deltas: true })
    await app.post(`${thread.path}/messages?deltas=true`, { input: 'hi' })
    const frames = await reading
    const text = frames
      .filter(({ type }) => type === 'step.delta' || type === 'step.text')
      .map(({ data }) => data['text'])
      .join('')
    assert.equal(text, 'Hello')
    assert.equal(frames.at(-1)?.data.answer?.text, 'Hello')
    app.answer = echo
  })
})
