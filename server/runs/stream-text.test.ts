import assert from 'node:assert/strict'
import { it } from 'node:test'
import { until } from '../../rig/until.ts'
import pg from 'pg'
import type { Context } from '../context.ts'
import type { StreamedText } from '../engine/feed/token-stream.ts'
import type { StoredEvent } from '../engine/reads/events.ts'
import { followText, newReceivedText } from '../../rig/follow-text.ts'
import { streamAnswer } from '../../rig/stream-answer.ts'
import { Muster, type StepText } from '../../sdk/index.ts'
import { complete, startTestApp } from '../../test/test-app.ts'
import { fixture } from '../../test/fixture.ts'
import { withText } from './stream-text.ts'

let streamed = 0
/** Resolved when the model may go on after the beginning of its answer. */
let rest = Promise.withResolvers<void>()
/**
 * By input: resolved when a client receives events of the run. A step that ends before that needs
 * no text.
 */
const heardBy = new Map(['n0', 'n1'].map((input) => [input, Promise.withResolvers<void>()]))

/** Two API processes and a worker; the model streams when it is asked to. */
const app = fixture(() =>
  startTestApp({
    role: 'api',
    answer: (request, response) => {
      const said = textOf(request.messages.at(-1)?.content ?? '')
      const asked = String(request.messages.at(-1)?.content)
      const isBroken = asked === 'broken'
      const held = ['held', 'broken'].includes(asked) ? rest : heardBy.get(asked)
      if (!('stream' in request))
        return complete(response, isBroken ? `Again ${said}` : said, 10, 7)
      streamed += 1
      void streamAnswer(response, said, {
        ...(isBroken && { breakAfter: 200 }),
        ...(held && { pause: () => held.promise }),
        usage,
      })
    },
  }),
)
const other = fixture(() => app.startAnother('api'))
fixture(() => app.startAnother('worker'))

const usage = { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 }

const textOf = (prompt: string): string =>
  `Heard ${prompt.length}: ${'wörds, "quoted"\n\u0001 and 😀 '.repeat(20)}end.`

async function createWorkflow(): Promise<string> {
  const crew = [
    { role: 'a', systemPrompt: 'a' },
    { role: 'b', systemPrompt: 'b' },
  ]
  return await app.createWorkflow({ crew })
}

const source = (runId: string, url = app.url) => ({ url, key: app.key, runId })

it('text joined is the stored output, over two processes and with reconnects at random', async () => {
  const workflow = await createWorkflow()
  const runs = await Promise.all(
    Array.from({ length: 2 }, async (_, number) => {
      const body = { input: `n${number}` }
      const path = `/v1/workflows/${workflow}/runs?deltas=true`
      const id = (await app.post(path, body)).id
      const received = newReceivedText()
      for (let tries = 0; ; tries++) {
        const url = (tries + number) % 2 === 0 ? app.url : (other.url ?? '')
        const isPatient = number === 0 || tries > 6
        if (
          await followText(
            { ...source(id, url), onText: () => heardBy.get(body.input)?.resolve() },
            received,
            isPatient ? Infinity : 1 + ((number * 7 + tries * 3) % 9),
          )
        )
          break
      }
      const run = await app.get(`/v1/runs/${id}`)
      assert.equal(run.status, 'completed', run.error)
      assert.deepEqual([run.tokens_in, run.tokens_out], [20, 14])
      for (const step of run.steps) assert.equal(received.texts.get(`${step.order} 0`), step.output)
      return received
    }),
  )
  assert.ok(streamed >= 2, `${streamed} calls were streamed`)
  const [patient] = runs
  const types = patient?.types ?? []
  const first = types.findIndex((type) => type === 'step.delta' || type === 'step.text')
  assert.ok(first !== -1 && first < types.indexOf('step.completed'))
})

it('who comes back while nothing is said has the text at once', async () => {
  rest = Promise.withResolvers()
  const workflow = await createWorkflow()
  const path = `/v1/workflows/${workflow}/runs?deltas=true`
  const id = (await app.post(path, { input: 'held' })).id
  const received = newReceivedText()
  const untilText = (url?: string) =>
    until('there is text', 10_000, async () => {
      await followText(source(id, url), received, 1)
      return received.texts.size > 0
    })
  await untilText()
  received.texts.clear()
  // The text arrives although no event is due; an idle stream sends something only after 15 s.
  await untilText(other.url)
  assert.ok((received.texts.get('0 0') ?? '').startsWith('Heard '))
  rest.resolve()
  assert.equal(await followText(source(id), received), true)
})

it('nobody watching, no call is streamed and no notice sent; who comes after the end is sent no text', async () => {
  const before = streamed
  const notices: { channel: string; payload?: string | undefined }[] = []
  const listener = new pg.Client({ connectionString: app.databaseUrl })
  await listener.connect()
  listener.on('notification', (notice) => notices.push(notice))
  await listener.query('listen muster_deltas; listen muster_wants')
  // Notices about the run of an earlier test may still arrive, so only the ones with the run's id
  // count.
  const channelsOf = (runId: string): Set<string> =>
    new Set(notices.filter(({ payload }) => payload?.includes(runId)).map((one) => one.channel))
  const workflow = await createWorkflow()
  const path = `/v1/workflows/${workflow}/runs`
  const play = async (search = ''): Promise<string> => {
    const data = await app.post(`${path}${search}`, { input: 'x' })
    await app.call('GET', `/v1/runs/${data.id}?wait=30`)
    // Notices arrive before the answer to a later query.
    await listener.query('select 1')
    return data.id
  }
  const id = await play()
  assert.equal(streamed, before)
  assert.deepEqual(channelsOf(id), new Set())
  const received = newReceivedText()
  await followText(source(id), received)
  assert.equal(received.texts.size, 0)
  assert.equal(received.types.at(-1), 'run.completed')
  const watched = await play('?deltas=true')
  assert.ok(streamed > before)
  assert.deepEqual(channelsOf(watched), new Set(['muster_wants', 'muster_deltas']))
  await listener.end()
})

it('a stream that breaks is asked for anew without one, and replaced', async () => {
  rest = Promise.withResolvers()
  const workflow = await createWorkflow()
  const path = `/v1/workflows/${workflow}/runs?deltas=true`
  const id = (await app.post(path, { input: 'broken' })).id
  const received = newReceivedText()
  // The model's stream breaks once the listener has its beginning.
  const onText = (): void => rest.resolve()
  assert.equal(await followText({ ...source(id), onText }, received), true)
  const run = await app.get(`/v1/runs/${id}`)
  assert.equal(run.status, 'completed', run.error)
  assert.ok(received.types.includes('step.delta') && received.types.includes('step.text'))
  assert.match(run.steps[0].output, /^Again/)
  for (const step of run.steps) assert.equal(received.texts.get(`${step.order} 0`), step.output)
})

it('the SDK passes text on apart from the events', async () => {
  const workflow = await createWorkflow()
  const muster = new Muster({ apiKey: app.key, baseUrl: app.url })
  const { id } = await muster.runs.create(workflow, { input: 'sdk' }, { deltas: true })
  const types: string[] = []
  let text = ''
  const onText = (piece: StepText): void => {
    if (piece.order === 1) text = text.slice(0, piece.offset ?? 0) + piece.text
  }
  for await (const event of muster.runs.stream(id, { onText })) types.push(event.type)
  assert.ok(!types.includes('step.delta') && types.at(-1) === 'run.completed')
  assert.equal(text, (await muster.runs.retrieve(id)).output)
})

it('text of a step follows the event that starts it, though a model speaks before that is committed', async () => {
  const said: StreamedText = { order: 0, turn: 0, attempt: 1, call: 1, text: 'Hel' }
  let streamed: StreamedText | undefined
  let wake = (): void => {}
  const tokens = {
    follow: (_run: object, changed: () => void) => {
      wake = changed
      return () => streamed
    },
  }
  const started = Promise.withResolvers<void>()
  async function* events(): AsyncGenerator<StoredEvent[]> {
    yield []
    await started.promise
    yield [{ type: 'step.started', sequence: 1, data: { order: 0 } } as unknown as StoredEvent]
  }
  const ctx = { accountId: 'acc_1', feed: { tokens } } as unknown as Context
  const run = { id: 'run_1', after: 0 }
  const stream = withText(ctx, run, { events: events(), beganAt: 0 }, new AbortController().signal)
  const types: string[] = []
  for await (const all of stream) {
    types.push(...all.map(({ type }) => type))
    if (streamed === undefined) {
      streamed = said
      wake()
      setImmediate(() => {
        streamed = { ...said, text: 'Hello' }
        started.resolve()
      })
    }
  }
  assert.deepEqual(types, ['step.started', 'step.delta'])
})
