import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { round } from '../rig/measure.ts'
import { adminKey, type MusterProcess } from '../rig/muster-process.ts'
import { send } from '../rig/scripted-server.ts'
import { setScriptedStage, type ScriptedStage } from './scripted-stage.ts'
import { callApi, complete } from './test-app.ts'

/**
 * A provider that goes away under load, over two processes that carry runs: by errors, by cut connections, by
 * silence. What it sees is counted by the second.
 */
type Mood = 'well' | 'fails' | 'cuts' | 'hangs'
let stage: ScriptedStage
let mood: Mood = 'well'
/** When each call to the provider arrived, in seconds. */
const calls: number[] = []
let api: MusterProcess
let triggered = 0

const runsPerSecond = 10
/** Less than any outage here. */
const limits = { max_run_seconds: 15 }
const seconds = (): number => performance.now() / 1_000

before(async () => {
  stage = await setScriptedStage({
    answer: (response, { path }) => {
      if (path.startsWith('/spare')) return complete(response, 'from the spare')
      calls.push(seconds())
      answer(response)
    },
    modelsFile: (url) => ({
      providers: [
        { id: 'loopback', base_url: `${url}/v1`, timeout_seconds: 2 },
        { id: 'spare', base_url: `${url}/spare/v1` },
      ],
      models: [
        { id: 'bench', provider: 'loopback' },
        { id: 'spare', provider: 'spare' },
      ],
    }),
    env: { MUSTER_RUN_CONCURRENCY: '500' },
  })
  api = await stage.start('api')
  for (let n = 0; n < 2; n++) await stage.start('worker')
})
after(() => stage[Symbol.asyncDispose]())

function answer(response: ServerResponse): void {
  if (mood === 'well') setTimeout(() => complete(response, 'done'), 50)
  else if (mood === 'fails') send(response, { error: { message: 'away' } }, 503)
  else if (mood === 'cuts') response.destroy()
}

const call = (method: string, path: string, body?: object) =>
  callApi(api.url, adminKey, method, path, body === undefined ? {} : { body })

async function createWorkflow(fields: object = {}): Promise<string> {
  const crew = [{ role: 'a', systemPrompt: 'a' }]
  const workflow = { name: 'w', model: 'bench', crew, limits, ...fields }
  const { status, body } = await call('POST', '/v1/workflows', workflow)
  assert.equal(status, 201, JSON.stringify(body))
  return body.data.id
}

/** Runs at an even pace, for so long; what a busy machine delays is not made up for in a burst. */
async function load(workflow: string, forSeconds: number): Promise<void> {
  const endsAt = seconds() + forSeconds
  while (seconds() < endsAt) {
    const pause = delay(1_000 / runsPerSecond)
    await call('POST', `/v1/workflows/${workflow}/runs`, { input: 'x' })
    triggered += 1
    await pause
  }
}

/** Calls in the second from then on that has most. */
function peakSince(from: number): number {
  const later = calls.filter((at) => at >= from)
  let first = 0
  return Math.max(
    0,
    ...later.map((at, place) => {
      while (at - (later[first] ?? 0) >= 1) first += 1
      return place - first + 1
    }),
  )
}

/**
 * Twice the normal rate, and what chance adds: a busy machine sends or counts calls late, in bunches, so those of
 * a second scatter about as if they came at random, whose standard deviation is the root; two of them.
 */
const mostInASecond = 2 * runsPerSecond + 2 * Math.sqrt(2 * runsPerSecond)

describe('a provider that goes away under load', () => {
  it('for 30 s fails no run, is passed over where there is a fallback, and meets no herd after', async (t) => {
    const workflow = await createWorkflow()
    const withSpare = await createWorkflow({ fallbacks: ['spare'] })
    await load(workflow, 30)
    const awayAt = seconds()
    mood = 'fails'
    const loading = load(workflow, 45)
    const path = `/v1/workflows/${withSpare}/runs`
    for (let n = 0; n < 5; n++) {
      await delay(5_000)
      const { body } = await call('POST', path, { input: 'x' })
      triggered += 1
      const { data: run } = (await call('GET', `/v1/runs/${body.data.id}?wait=20`)).body
      assert.deepEqual([run.status, run.steps[0]?.model], ['completed', 'spare'], run.error)
    }
    await delay((awayAt + 30 - seconds()) * 1_000)
    const meanwhile = calls.filter((at) => at > awayAt).length
    const backAt = seconds()
    mood = 'well'
    await loading
    await stage.allComplete(triggered, 180_000)
    const peak = peakSince(backAt)
    const facts = `${triggered} runs, ${meanwhile} calls in vain, at most ${peak} calls in a second after`
    t.diagnostic(
      `${facts}, ${runsPerSecond} are normal, all there ${round(seconds() - backAt)} s later`,
    )
    assert.ok(peak <= mostInASecond, facts)
  })

  it('again and again, in every way, fails no run', async (t) => {
    const workflow = await createWorkflow()
    const ways: Mood[] = ['fails', 'cuts', 'hangs', 'fails']
    const calmSeconds = 20
    const flapping = (async () => {
      await delay(1_000 * calmSeconds)
      for (const way of ways) {
        await delay(6_000)
        mood = way
        await delay(6_000)
        mood = 'well'
      }
    })()
    const beganAt = seconds()
    await load(workflow, calmSeconds + 12 * ways.length)
    await flapping
    const calmedAt = seconds()
    await stage.allComplete(triggered, 180_000)
    const peak = peakSince(beganAt)
    t.diagnostic(`${triggered} runs, at most ${peak} calls in a second`)
    t.diagnostic(`all there ${round(seconds() - calmedAt)} s after the last outage`)
    assert.ok(peak <= mostInASecond, `${peak} calls in a second`)
  })
})
