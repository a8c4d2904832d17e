import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { percentile, round } from '../rig/measure.ts'
import { send } from '../rig/scripted-server.ts'
import { fixture, prepare } from './fixture.ts'
import { openScriptedStage } from './scripted-stage.ts'
import { complete, type ChatRequest } from './test-app.ts'

/** A provider that fails under load, with two workers: errors, cut connections, silence. */
type Mood = 'well' | 'fails' | 'cuts' | 'hangs'
let mood: Mood = 'well'
let calls = 0
let triggered = 0

const runsPerSecond = 16
const steps = 3
const callMs = 50
/** Shorter than any outage here. */
const limits = { max_run_seconds: 15 }
const seconds = (): number => performance.now() / 1_000

const stage = fixture(() =>
  openScriptedStage({
    answer: (response, { path, body }) => {
      if (path.startsWith('/spare')) return complete(response, 'from the spare')
      const { model } = JSON.parse(body) as ChatRequest
      if (model === 'dead') return send(response, { error: { message: 'no deployment' } }, 500)
      calls += 1
      answer(response)
    },
    modelsFile: (url) => ({
      providers: [
        { id: 'loopback', base_url: `${url}/v1`, timeout_seconds: 2 },
        { id: 'spare', base_url: `${url}/spare/v1` },
      ],
      models: [
        { id: 'bench', provider: 'loopback' },
        { id: 'dead', provider: 'loopback' },
        { id: 'spare', provider: 'spare' },
      ],
    }),
    env: { MUSTER_RUN_CONCURRENCY: '500' },
  }),
)
prepare(async () => {
  await stage.start('api')
  for (let n = 0; n < 2; n++) await stage.start('worker')
})

function answer(response: ServerResponse): void {
  if (mood === 'well') setTimeout(() => complete(response, 'done'), callMs)
  else if (mood === 'fails') send(response, { error: { message: 'away' } }, 503)
  else if (mood === 'cuts') response.destroy()
}

function createWorkflow(fields: object = {}): Promise<string> {
  const crew = Array.from({ length: steps }, (_, n) => ({ role: `a${n}`, systemPrompt: 'a' }))
  return stage.createWorkflow({ model: 'bench', crew, limits, ...fields })
}
const trigger = (workflow: string): Promise<string> => stage.trigger(workflow)

/**
 * Triggers runs at an even rate for this long; delays of a busy machine are not made up for in a
 * burst.
 */
async function load(workflow: string, forSeconds: number): Promise<void> {
  const endsAt = seconds() + forSeconds
  while (seconds() < endsAt) {
    const pause = delay(1_000 / runsPerSecond)
    await trigger(workflow)
    triggered += 1
    await pause
  }
}

interface Run {
  /** Seconds since the provider came back. */
  createdAt: number
  finishedAt: number
}

/** The runs of a workflow, with times relative to a moment of this process. */
async function runsOf(workflow: string, sinceSeconds: number): Promise<Run[]> {
  const agoSeconds = seconds() - sinceSeconds
  return await stage.database.query<Run>(
    `with since as (select clock_timestamp() - make_interval(secs => ${agoSeconds}) as at)
     select extract(epoch from created_at - since.at)::float8 as "createdAt",
            extract(epoch from finished_at - since.at)::float8 as "finishedAt"
     from runs, since where workflow_id = '${workflow}'`,
  )
}

const tookOf = (runs: Run[]): number =>
  percentile(
    runs.map(({ createdAt, finishedAt }) => finishedAt - createdAt),
    0.95,
  )

/**
 * Ten seconds after the provider is back, new runs take as long as before; waiting ones are done
 * within twenty.
 */
async function seeRecovery(
  workflow: string,
  { awayAt, backAt }: { awayAt: number; backAt: number },
): Promise<string> {
  const runs = await runsOf(workflow, backAt)
  const normal = tookOf(runs.filter(({ createdAt }) => createdAt < awayAt - backAt - 3))
  const late = runs.filter(({ createdAt }) => createdAt > 10)
  const waited = runs.filter(({ createdAt }) => createdAt < 0)
  const goneAt = Math.max(...waited.map(({ finishedAt }) => finishedAt))
  const facts = `${runs.length} runs, p95 of new ones ${round(normal, 2)} s before and ${round(tookOf(late), 2)} s from 10 s after, what waited gone after ${round(goneAt)} s`
  assert.ok(late.length > runsPerSecond && tookOf(late) < normal + 1, facts)
  assert.ok(goneAt <= 20, facts)
  return facts
}

describe('a provider that goes away under load', () => {
  for (const way of ['cuts', 'fails'] as const) {
    it(`for 4 s, and ${way}: it is over when it is over`, async (t) => {
      const workflow = await createWorkflow()
      const loading = load(workflow, 30)
      await delay(8_000)
      const awayAt = seconds()
      mood = way
      await delay(4_000)
      const backAt = seconds()
      mood = 'well'
      await loading
      await stage.allComplete(triggered, 60_000)
      t.diagnostic(await seeRecovery(workflow, { awayAt, backAt }))
    })
  }

  it('for 30 s fails no run, and is passed over where there is a fallback', async (t) => {
    const workflow = await createWorkflow()
    const withSpare = await createWorkflow({ fallbacks: ['spare'] })
    const loading = load(workflow, 65)
    await delay(10_000)
    const awayAt = seconds()
    const before = calls
    mood = 'fails'
    for (let n = 0; n < 5; n++) {
      await delay(5_000)
      const id = await trigger(withSpare)
      triggered += 1
      const run = await stage.rest(id)
      assert.deepEqual([run.status, run.steps[0]?.model], ['completed', 'spare'], run.error)
    }
    await delay((awayAt + 30 - seconds()) * 1_000)
    const inVain = calls - before
    const backAt = seconds()
    mood = 'well'
    await loading
    await stage.allComplete(triggered, 60_000)
    t.diagnostic(`${inVain} calls in vain; ${await seeRecovery(workflow, { awayAt, backAt })}`)
    assert.ok(inVain < 100, `${inVain} calls in vain`)
  })

  it('again and again, in every way, fails no run', async (t) => {
    const workflow = await createWorkflow()
    const ways: Mood[] = ['fails', 'cuts', 'hangs', 'fails']
    const loading = load(workflow, 8 + 12 * ways.length + 20)
    await delay(8_000)
    const awayAt = seconds()
    let backAt = awayAt
    for (const way of ways) {
      mood = way
      await delay(6_000)
      mood = 'well'
      backAt = seconds()
      await delay(6_000)
    }
    await loading
    await stage.allComplete(triggered, 60_000)
    t.diagnostic(await seeRecovery(workflow, { awayAt, backAt }))
  })

  it('for one model alone, fails the runs of that model and holds up no others', async (t) => {
    const healthy = await createWorkflow()
    const broken = await createWorkflow({ model: 'dead', limits: {} })
    const spared = await createWorkflow({ model: 'dead', fallbacks: ['bench'], limits: {} })
    const beganAt = seconds()
    const ids = await Promise.all([broken, broken, broken].map(trigger))
    const together = await Promise.all([spared, spared].map(trigger))
    for (const id of together) {
      const run = await stage.rest(id)
      assert.deepEqual([run.status, run.steps[0]?.model], ['completed', 'bench'], run.error)
    }
    const open = new Set(ids)
    while (open.size > 0) {
      const run = await stage.rest(await trigger(healthy))
      assert.equal(run.status, 'completed')
      const took = Date.parse(run.finished_at) - Date.parse(run.created_at)
      assert.ok(took < 2_000, `a run of a healthy model took ${took} ms`)
      for (const id of open) {
        const data = await stage.get(`/v1/runs/${id}`)
        if (data.status !== 'failed') continue
        assert.match(data.error, /status 500, no deployment \(after 10 tries\)$/)
        open.delete(id)
      }
      await delay(500)
    }
    t.diagnostic(`the broken runs have failed after ${round(seconds() - beganAt)} s`)
  })
})
