import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connectTo } from '../rig/bench-database.ts'
import { adminKey, startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { startScriptedServer, type ScriptedServer } from '../rig/scripted-server.ts'
import { clerk, startMcpSink } from '../rig/mcp-sink.ts'
import { callApi, callTools, complete, type ChatRequest } from './test-app.ts'
import { writeModelsFile } from '../rig/models-file.ts'

const runs = 300
const clients = 8
const killEveryMs = 1_000
const maxKills = 15

interface Run {
  id: string
  status: string
  input: string
  pending: { id: string; prompt: string } | null
  steps: { tool_calls: { id: string; status: string; decision: string | null }[] }[]
}

/** What a person wants of a run, whoever of them answers. */
const isWanted = (input: string) => Number(input) % 4 !== 0

describe('the ledger under fire', () => {
  it(
    'does each approved action once, none that was rejected, and repeats nothing on its own',
    {
      timeout: 400_000,
    },
    async () => {
      await using folder = await makeScratchFolder()
      await using testDatabase = await createTestDatabase()
      await using sink = await startMcpSink()
      await using model = await startModel()
      sink.onCall = (_response, answer) => void setTimeout(answer, 300 * Math.random())
      const modelsFile = await writeModelsFile(folder.path, modelsOf(model.url))
      const env = {
        DATABASE_URL: testDatabase.url,
        MUSTER_MODELS_FILE: modelsFile,
        MUSTER_DEFAULT_MODEL: 'fire/model',
        MUSTER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
        MUSTER_ACCOUNT_CONCURRENCY: '1000',
        MUSTER_RUN_CONCURRENCY: '20',
      }
      await using api = await startMuster({ role: 'api', folder: folder.path, env })
      const call = async (method: string, path: string, body?: unknown) =>
        callApi(api.url, adminKey, method, path, { body })
      const workflowId = await prepare(call, sink.url)
      const ids = await Promise.all(
        Array.from({ length: runs }, async (_, number) => {
          const body = { input: String(number) }
          return (await call('POST', `/v1/workflows/${workflowId}/runs`, body)).body.data
            .id as string
        }),
      )

      const startWorker = () => startMuster({ role: 'worker', folder: folder.path, env })
      await using fleet = await startFleet(startWorker)
      await using _people = startPeople(call)
      await using database = await connectTo(testDatabase.url)
      await until(
        'every run ends',
        300_000,
        async () => {
          const [row] = await database.query<{ open: number }>(
            'select count(*)::int as open from runs where finished_at is null',
          )
          return row?.open === 0
        },
        200,
      )
      assert.ok(fleet.killed >= 10, `only ${fleet.killed} workers were killed`)

      const arrivals = Map.groupBy(sink.calls, ({ idempotencyKey }) => idempotencyKey)
      const outcomes: Record<string, number> = {}
      for (const id of ids) {
        const run = (await call('GET', `/v1/runs/${id}`)).body.data as Run
        assert.equal(run.status, 'completed')
        const [action, ...others] = run.steps.flatMap(({ tool_calls: calls }) => calls)
        assert.ok(action !== undefined && others.length === 0, 'one action for each run')
        const arrived = arrivals.get(action.id)?.length ?? 0
        const what = `${action.status} after ${action.decision}`
        outcomes[what] = (outcomes[what] ?? 0) + 1
        if (action.status === 'succeeded') assert.equal(arrived, 1, `${id} ${what}`)
        else if (action.status === 'unknown') assert.ok(arrived <= 1, `${id} ${what}`)
        else assert.equal(arrived, 0, `${id} ${what}`)
        const expected = isWanted(run.input) ? ['succeeded', 'unknown'] : ['rejected']
        assert.ok(expected.includes(action.status), `${id} ${what}: ${JSON.stringify(action)}`)
      }
      console.log(
        `${runs} runs, ${fleet.killed} kills, ${sink.calls.length} arrivals:`,
        JSON.stringify(outcomes),
      )
    },
  )

  it('goes on elsewhere with the same transcript after all processes were restarted', async () => {
    await using folder = await makeScratchFolder()
    await using testDatabase = await createTestDatabase()
    await using sink = await startMcpSink()
    await using model = await startModel()
    const modelsFile = await writeModelsFile(folder.path, modelsOf(model.url))
    const env = {
      DATABASE_URL: testDatabase.url,
      MUSTER_MODELS_FILE: modelsFile,
      MUSTER_DEFAULT_MODEL: 'fire/model',
      MUSTER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
    }
    let id = ''
    {
      await using first = await startMuster({ folder: folder.path, env })
      const call = async (method: string, path: string, body?: unknown) =>
        callApi(first.url, adminKey, method, path, { body })
      const workflowId = await prepare(call, sink.url)
      const body = { input: '1' }
      id = (await call('POST', `/v1/workflows/${workflowId}/runs`, body)).body.data.id
      assert.equal((await call('GET', `/v1/runs/${id}?wait=20`)).body.data.status, 'waiting_input')
    }
    await using second = await startMuster({ role: 'api', folder: folder.path, env })
    await using _worker = await startMuster({ role: 'worker', folder: folder.path, env })
    const call = async (method: string, path: string, body?: unknown) =>
      callApi(second.url, adminKey, method, path, { body })
    assert.equal((await call('POST', `/v1/runs/${id}/respond`, { action: 'approve' })).status, 202)
    assert.equal((await call('GET', `/v1/runs/${id}?wait=20`)).body.data.status, 'completed')
    assert.equal(sink.calls.length, 1)
    const [before, after] = model.requests.map(({ body }) => JSON.parse(body) as ChatRequest)
    assert.equal(model.requests.length, 2)
    assert.deepEqual(after?.messages.slice(0, before?.messages.length), before?.messages)
    assert.deepEqual(after?.tools, before?.tools)
    const [asked, told] = after?.messages.slice(before?.messages.length) ?? []
    assert.equal(asked?.tool_calls?.[0]?.id, told?.tool_call_id)
    assert.equal(told?.content, 'written: 1')
  })
})

type Call = (method: string, path: string, body?: unknown) => ReturnType<typeof callApi>

/** A workflow whose agent writes its input through the sink, once somebody approves it. */
async function prepare(call: Call, sinkUrl: string): Promise<string> {
  await call('PUT', '/v1/connectors/sink', { kind: 'mcp', url: sinkUrl, safe_tools: ['read'] })
  const agent = await call('POST', '/v1/agents', { ...clerk, capabilities: ['sink.write'] })
  const workflow = await call('POST', '/v1/workflows', {
    name: 'w',
    crew: [{ role: 'clerk', systemPrompt: 'act', agentId: agent.body.data.id }],
    human_in_the_loop: { enabled: true },
  })
  return workflow.body.data.id
}

async function startModel(): Promise<ScriptedServer> {
  const server = await startScriptedServer((response, number) => {
    const { messages } = JSON.parse(server.requests[number - 1]?.body ?? '{}') as ChatRequest
    const answer = (): void => {
      if (messages.at(-1)?.role === 'tool') complete(response, 'done')
      else callTools(response, [{ name: 'sink__write', arguments: { text: messages[1]?.content } }])
    }
    setTimeout(answer, 200)
  })
  return server
}

function modelsOf(url: string): unknown {
  return {
    providers: [{ id: 'fire', label: 'Fire', base_url: `${url}/v1` }],
    models: [{ id: 'fire/model', provider: 'fire', model: 'm' }],
  }
}

/** Six workers; every second one of those that are up is killed, and another started. */
async function startFleet(
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
  for (let n = 0; n < 6; n++) launch()
  await Promise.all(starting)
  const stopping = new AbortController()
  const fleet = { killed: 0 }
  const loop = (async () => {
    while (fleet.killed < maxKills && !stopping.signal.aborted) {
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

/** Clients that answer what waits, all at once, each answer twice and an old one as well. */
function startPeople(call: Call): AsyncDisposable {
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
      const { input } = (await call('GET', `/v1/runs/${one.run_id}`)).body.data as Run
      const isRepeat = one.pending.prompt.startsWith('It is unknown')
      const action = isWanted(input) && !isRepeat ? 'approve' : 'reject'
      const answer = { action, pending_id: one.pending.id }
      const opposite = { action: 'approve', pending_id: stale.pendingId }
      await Promise.all([
        call('POST', `/v1/runs/${one.run_id}/respond`, answer),
        call('POST', `/v1/runs/${one.run_id}/respond`, answer),
        stale.runId === '' ? undefined : call('POST', `/v1/runs/${stale.runId}/respond`, opposite),
      ])
      stale = { runId: one.run_id, pendingId: one.pending.id }
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
