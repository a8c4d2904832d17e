import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { followText, newReceivedText, type ReceivedText, type Source } from '../rig/follow-text.ts'
import { adminKey, type MusterProcess } from '../rig/muster-process.ts'
import { send } from '../rig/scripted-server.ts'
import { streamAnswer } from '../rig/stream-answer.ts'
import { fixture, prepare } from './fixture.ts'
import { crewOfTwo, openScriptedStage } from './scripted-stage.ts'
import { callApi } from './api-client.ts'
import type { ChatRequest } from './test-app.ts'

/** Two API processes, two workers, and a model in this process that streams. */
const stage = fixture(() => openScriptedStage({ answer, env: { MUSTER_RUN_CONCURRENCY: '30' } }))
let apis: MusterProcess[] = []
let workers: MusterProcess[] = []
let workflow = ''
let streamed = 0
/** No text is sent for steps that ended before a client connected, so the model waits for one. */
const listening = new Map<string, PromiseWithResolvers<void>>()

prepare(async () => {
  apis = [await stage.start('api'), await stage.start('api')]
  workers = await Promise.all([stage.start('worker'), stage.start('worker')])
  workflow = await stage.createWorkflow(crewOfTwo)
})

function answer(response: ServerResponse, { body }: { body: string }): void {
  const request = JSON.parse(body) as ChatRequest
  const prompt = request.messages.at(-1)?.content ?? ''
  const run = /run \w+/.exec(prompt)?.[0] ?? ''
  const content = `${run} ${'wörds, "quoted"\n\u0001 and 😀 '.repeat(5 + (prompt.length % 40))}end.`
  const isStream = 'stream' in request
  if (isStream) streamed += 1
  const usage = { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 }
  const message = { role: 'assistant', content }
  const whole = { choices: [{ index: 0, finish_reason: 'stop', message }], usage }
  void listening.get(run)?.promise.then(() => {
    if (isStream) return streamAnswer(response, content, { usage })
    send(response, whole)
  })
}

const urlOf = (place: number): string => apis[place % 2]?.url ?? ''

/** `onOpen` lets its model start. */
async function trigger(run: string): Promise<{ key: string; runId: string; onOpen: () => void }> {
  const opened = Promise.withResolvers<void>()
  listening.set(run, opened)
  const path = `/v1/workflows/${workflow}/runs?deltas=true`
  const { body } = await callApi(urlOf(0), adminKey, 'POST', path, { body: { input: run } })
  return { key: adminKey, runId: body.data.id, onOpen: opened.resolve }
}

/** A seeded sequence of numbers between 0 and 1. */
function seeded(seed: number): () => number {
  let state = seed + 1
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

/** Half of the clients stay; the others disconnect at random and reconnect, to either process. */
async function follow(run: Omit<Source, 'url'>, number: number): Promise<ReceivedText> {
  const random = seeded(number)
  const received = newReceivedText()
  for (let tries = 0; ; tries++) {
    const isPatient = number % 2 === 0 || tries > 30
    const frames = isPatient ? Infinity : 1 + Math.floor(random() * 9)
    const url = urlOf(Math.floor(random() * 2))
    if (await followText({ ...run, url }, received, frames)) return received
  }
}

/** Each step's output must equal the received text. */
async function checkReceived(
  { key, runId }: Omit<Source, 'url'>,
  { texts }: ReceivedText,
): Promise<void> {
  const { body } = await callApi(urlOf(0), key, 'GET', `/v1/runs/${runId}`)
  const { status, steps } = body.data
  assert.deepEqual([status, steps.length], ['completed', 2], runId)
  for (const { order, output } of steps)
    assert.equal(texts.get(`${order} 0`), output, `step ${order} of ${runId}`)
}

describe('text of models, received over processes', () => {
  it('is the stored output of hundreds of runs, with reconnects at random and a worker killed', async (t) => {
    const runs = 300
    const numbers = Array.from({ length: runs }).keys()
    let ended = 0
    const clients = Array.from({ length: 30 }, async () => {
      for (const number of numbers) {
        const run = await trigger(`run ${number}`)
        await checkReceived(run, await follow(run, number))
        ended += 1
        if (ended === Math.floor(runs / 3)) await workers[0]?.kill()
      }
    })
    await Promise.all(clients)
    assert.equal(ended, runs)
    t.diagnostic(`${runs} runs, ${streamed} of ${2 * runs} calls were streamed`)
    assert.ok(streamed > runs, 'most calls are streamed')
  })
})
