import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { closeServer, listenOnLoopback } from '../rig/loopback.ts'
import { adminKey, type MusterProcess } from '../rig/muster-process.ts'
import { until } from '../rig/until.ts'
import { openScriptedStage } from './scripted-stage.ts'
import { callTools, complete, type ChatRequest } from './test-app.ts'

/** How many calls there are, and how often a process of each kind is killed. */
export interface ToolsFire {
  calls: number
  workers: number
  killsOfWorkers: number
  killsOfServices: number
  killEveryMs: number
}

const callsPerRun = 10
const leaseMs = 5_000
const program = fileURLToPath(new URL('../rig/tool-worker-process.ts', import.meta.url))

/**
 * Calls of callers' tools on workers of the SDK and two processes of the service, which are killed: each call reaches
 * one outcome, no two workers have it within one lease, and a sensitive one is begun once at most.
 */
export async function tryTools(t: TestContext, fire: ToolsFire): Promise<void> {
  await using stage = await openScriptedStage({
    answer: (response, { body }) => {
      const { messages } = JSON.parse(body) as ChatRequest
      if (messages.at(-1)?.role === 'tool') return complete(response, 'done')
      const calls = Array.from({ length: callsPerRun }, (_, number) => ({
        id: String(number),
        name: number % 2 === 0 ? 'app__read' : 'app__write',
        arguments: { ms: (number * 37) % 100, text: `${messages[1]?.content} ${number}` },
      }))
      return callTools(response, calls)
    },
    env: { MUSTER_LEASE_SECONDS: '2' },
  })
  const ports = await Promise.all([freePort(), freePort()])
  const startService = (port: number) => stage.start('all', { env: { PORT: String(port) } })
  const services = await Promise.all(ports.map(startService))
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const input_schema = {
    type: 'object',
    properties: { ms: { type: 'number' }, text: { type: 'string' } },
  }
  const tools = [
    { name: 'read', description: 'Reads.', input_schema, sensitive: false },
    { name: 'write', description: 'Writes.', input_schema },
  ]
  const workflowId = await stage.createWorkflow({
    model: 'bench',
    crew: [{ role: 'clerk', systemPrompt: 'act', tools }],
    human_in_the_loop: { approvals: 'never' },
  })

  const begun = new Map<string, number[]>()
  const launch = (): ChildProcess => {
    const child = fork(program, [urls.join(','), adminKey], { stdio: ['ignore', 2, 2, 'ipc'] })
    child.on('message', ({ what, callId }: { what: string; callId: string }) => {
      if (what === 'begun') begun.set(callId, [...(begun.get(callId) ?? []), performance.now()])
    })
    return child
  }
  const workers = Array.from({ length: fire.workers }, launch)
  const runs = Math.ceil(fire.calls / callsPerRun)
  const triggered = stage.triggerAll(workflowId, runs)

  let [killedWorkers, killedServices] = [0, 0]
  const killing = (async () => {
    await triggered
    while (killedWorkers < fire.killsOfWorkers || killedServices < fire.killsOfServices) {
      await delay(fire.killEveryMs)
      if (killedWorkers < fire.killsOfWorkers) {
        const place = killedWorkers++ % workers.length
        await kill(workers[place])
        workers[place] = launch()
      }
      if (killedServices < fire.killsOfServices) {
        const place = killedServices++ % services.length
        await (services[place] as MusterProcess).kill()
        services[place] = await startService(ports[place] as number)
      }
    }
  })()
  try {
    await Promise.all([triggered, killing])
    await until(
      'every run ends',
      120_000 + fire.calls * 20,
      async () => {
        const [row] = await stage.database.query<{ open: number; all: number }>(
          'select count(*) filter (where finished_at is null)::int as open, count(*)::int as all from runs',
        )
        return row?.open === 0 && row.all === runs
      },
      100,
    )
  } finally {
    await Promise.all(workers.map(kill))
  }

  const failed = await stage.database.query(
    "select id, error from runs where status <> 'completed'",
  )
  assert.deepEqual(failed, [])
  const calls = await stage.database.query<{
    id: string
    name: string
    status: string
    ledger: string
    ended: number
    isOwn: boolean
  }>(`
    select request.id, name, request.status, call.status as ledger,
           (select count(*)::int from events where events.account_id = call.account_id
              and events.run_id = call.run_id and type = 'tool.completed'
              and data ->> 'call_id' = call.id) as ended,
           call.output like 'did %' or call.status = 'unknown' as "isOwn"
    from requested_calls as request join tool_calls as call on call.account_id = request.account_id
      and call.run_id = request.run_id and call.id = request.id`)
  assert.equal(calls.length, runs * callsPerRun)
  const outcomes: Record<string, number> = {}
  for (const { id, name, status, ledger, ended, isOwn } of calls) {
    const what = `${name} ${status}`
    outcomes[what] = (outcomes[what] ?? 0) + 1
    assert.ok(
      ['read succeeded', 'write succeeded', 'write unknown'].includes(what),
      `${id} ${what}`,
    )
    assert.equal(ledger, status, id)
    assert.equal(ended, 1, `${id} ${what} has ${ended} ends`)
    assert.ok(isOwn, id)
    const times = begun.get(id) ?? []
    if (name === 'write') assert.ok(times.length <= 1, `${id} was begun ${times.length} times`)
    if (status === 'succeeded') assert.ok(times.length > 0, `${id} was not begun`)
    for (const [place, at] of times.entries()) {
      const gap = place === 0 ? Infinity : at - (times[place - 1] as number)
      // The claim comes some time before the worker begins.
      assert.ok(gap > leaseMs - 1_500, `${id} was begun twice within ${gap} ms`)
    }
  }
  t.diagnostic(
    `${calls.length} calls, killed: ${killedWorkers} workers, ${killedServices} services: ${JSON.stringify(outcomes)}`,
  )
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** A port that is free now, for a process that is started again at the same address. */
async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnLoopback(server)
  await closeServer(server)
  return port
}
