import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestContext } from 'node:test'
import { clerk, startMcpSink } from '../rig/mcp-sink.ts'
import type { MusterProcess } from '../rig/muster-process.ts'
import { until } from '../rig/until.ts'
import { openScriptedStage, type ScriptedStage } from './scripted-stage.ts'
import { callTools, complete, testSecretKey, type ChatRequest } from './test-app.ts'

/** Number of runs and workers, and how often a worker is killed. */
export interface Fire {
  runs: number
  workers: number
  kills: number
  killEveryMs: number
}

const clients = 8

interface Input {
  text: string
}
interface Request {
  id: string
  prompt: string
  call_id: string
  tool_input: Input
}
interface Run {
  id: string
  status: string
  input: string
  pending: (Request & { calls?: Request[] }) | null
  steps: { tool_calls: { id: string; status: string; decision: string | null; input: Input }[] }[]
}

/** Every third run makes three calls in one turn, the others one. */
const textsOf = (input: string): string[] =>
  Number(input) % 3 === 0 ? ['a', 'b', 'c'].map((letter) => `${input}${letter}`) : [input]

/** The decision about an action, the same for every person. */
const isWanted = (text: string) => (/\D$/.test(text) ? !text.endsWith('b') : Number(text) % 4 !== 0)

/**
 * Runs whose actions are approved or rejected by several clients at once, one by one or together,
 * on workers that are killed: each approved action is done once, no rejected one is, and nothing is
 * repeated without a person.
 */
export async function tryLedger(t: TestContext, fire: Fire): Promise<void> {
  await using sink = await startMcpSink()
  await using stage = await openScriptedStage({
    answer: (response, { body }) => {
      const { messages } = JSON.parse(body) as ChatRequest
      const answer = (): void => {
        if (messages.at(-1)?.role === 'tool') complete(response, 'done')
        else {
          const texts = textsOf(messages[1]?.content ?? '')
          callTools(
            response,
            texts.map((text) => ({ id: text, name: 'sink__write', arguments: { text } })),
          )
        }
      }
      setTimeout(answer, 200)
    },
    env: {
      MUSTER_SECRET_KEY: testSecretKey,
      MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
      MUSTER_RUN_CONCURRENCY: '20',
    },
  })
  sink.onCall = (_response, answer) => void setTimeout(answer, 300 * Math.random())
  await stage.start('api')
  // A writer whose actions need approval.
  await stage.put('/v1/connectors/sink', { kind: 'mcp', url: sink.url, safe_tools: ['read'] })
  const agentId = await stage.createAgent({ ...clerk, capabilities: ['sink.write'] })
  const workflowId = await stage.createWorkflow({
    model: 'bench',
    crew: [{ role: 'clerk', systemPrompt: 'act', agentId }],
    human_in_the_loop: { enabled: true },
  })
  const numbers = Array.from({ length: fire.runs }, (_, number) => String(number))
  const ids = await Promise.all(numbers.map((number) => stage.trigger(workflowId, number)))
  await using fleet = await startFleet(fire, () => stage.start('worker'))
  await using _people = startPeople(stage)
  const isOver = async (): Promise<boolean> => {
    const open = await stage.database.query('select from runs where finished_at is null limit 1')
    return open.length === 0 && fleet.killed === fire.kills
  }
  await until('every run ends', 300_000, isOver, 100)

  const arrivals = Map.groupBy(sink.calls, ({ idempotencyKey }) => idempotencyKey)
  const outcomes: Record<string, number> = {}
  for (const id of ids) {
    const run = (await stage.get(`/v1/runs/${id}`)) as Run
    assert.equal(run.status, 'completed')
    const actions = run.steps.flatMap(({ tool_calls: calls }) => calls)
    const texts = actions.map(({ input }) => input.text)
    assert.deepEqual(texts, textsOf(run.input), 'what the run asked for, once')
    for (const action of actions) {
      const arrived = arrivals.get(action.id)?.length ?? 0
      const what = `${action.status} after ${action.decision}`
      outcomes[what] = (outcomes[what] ?? 0) + 1
      if (action.status === 'succeeded') assert.equal(arrived, 1, `${id} ${what}`)
      else if (action.status === 'unknown') assert.ok(arrived <= 1, `${id} ${what}`)
      else assert.equal(arrived, 0, `${id} ${what}`)
      const expected = isWanted(action.input.text) ? ['succeeded', 'unknown'] : ['rejected']
      assert.ok(expected.includes(action.status), `${id} ${what}: ${JSON.stringify(action)}`)
    }
  }
  const seen = JSON.stringify(outcomes)
  t.diagnostic(`${ids.length} runs, ${fleet.killed} kills, ${sink.calls.length} arrivals: ${seen}`)
}

/** Some workers; a random live one is killed repeatedly, and another started. */
async function startFleet(
  { workers, kills, killEveryMs }: Fire,
  start: () => Promise<MusterProcess>,
): Promise<AsyncDisposable & { killed: number }> {
  const starting = new Set<Promise<void>>()
  const up: MusterProcess[] = []
  const launch = (): void => {
    const one = start().then((worker) => {
      up.push(worker)
      starting.delete(one)
    })
    starting.add(one)
  }
  for (let n = 0; n < workers; n++) launch()
  await Promise.all(starting)
  const stopping = new AbortController()
  const fleet = { killed: 0 }
  const loop = (async () => {
    while (fleet.killed < kills && !stopping.signal.aborted) {
      await delay(killEveryMs)
      const [victim] = up.splice(Math.floor(Math.random() * up.length), 1)
      if (victim === undefined) continue
      await victim.kill()
      fleet.killed += 1
      launch()
    }
  })()
  return Object.assign(fleet, {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await loop
      await Promise.all(starting)
      await Promise.all(up.map((worker) => worker[Symbol.asyncDispose]()))
    },
  })
}

/**
 * Clients that answer pending requests, all at the same time, each answer twice and an old one as
 * well.
 */
function startPeople({ call }: ScriptedStage): AsyncDisposable {
  const stopping = new AbortController()
  const work = async (): Promise<void> => {
    let stale = { runId: '', pendingId: '' }
    while (!stopping.signal.aborted) {
      const { body } = await call('GET', '/v1/pending?limit=100')
      const waiting = body.data as { run_id: string; pending: Run['pending'] }[]
      const one = waiting[Math.floor(Math.random() * waiting.length)]
      if (one === undefined || one.pending === null) {
        await delay(20)
        continue
      }
      const requests = one.pending.calls ?? [one.pending]
      const decisions = requests.map(({ id, call_id, prompt, tool_input }) => {
        const isRepeat = prompt.startsWith('It is unknown')
        const action = isWanted(tool_input.text) && !isRepeat ? 'approve' : 'reject'
        return { call_id, pending_id: id, action }
      })
      // All or some of them: the rest is for the next client.
      const some = decisions.slice(Math.floor(Math.random() * decisions.length))
      const { call_id: _, ...only } = decisions[0] ?? {}
      const isTogether = Math.random() < 0.5
      const answer = isTogether ? { decisions: some } : only
      const opposite = { action: 'approve', pending_id: stale.pendingId }
      const sent = await Promise.all([
        call('POST', `/v1/runs/${one.run_id}/respond`, { body: answer }),
        call('POST', `/v1/runs/${one.run_id}/respond`, { body: answer }),
        stale.runId === ''
          ? undefined
          : call('POST', `/v1/runs/${stale.runId}/respond`, { body: opposite }),
      ])
      // A rejected answer leaves its request open.
      if (!sent.some((one) => one?.status === 202)) continue
      const { pending_id: pendingId = '' } = (isTogether ? some[0] : decisions[0]) ?? {}
      stale = { runId: one.run_id, pendingId }
    }
  }
  const people = Promise.all(Array.from({ length: clients }, work))
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await people
    },
  }
}
