import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connectTo, type BenchDatabase } from '../../rig/bench-database.ts'
import { judgeDeliveries, readRunEvents } from '../../rig/delivery-judge.ts'
import { startReceiverProcess } from '../../rig/receiver-process.ts'
import { makeScratchFolder } from '../../rig/scratch-folder.ts'
import { until } from '../../rig/until.ts'
import { startEmbeddedServer } from '../../server/embedded/server.ts'
import { startMcpSink } from '../../rig/mcp-sink.ts'
import { createClient } from './client.ts'
import { heal, playFaults } from './faults.ts'
import { startPeople } from './people.ts'
import { makeSchedule, type FaultKind } from './schedule.ts'
import { agentModel, startScriptedAgent } from './scripted-agent.ts'
import { openSlot, type Slot } from './slot.ts'
import { createTriggers } from './triggers.ts'
import { judgeActions, judgeAnswers, judgeRuns, judgeSteps, type Flaws } from './verdict.ts'
import { makeWorkflows, subscribe } from './workload.ts'

/**
 * Breaks everything that can break, for minutes, while runs with tools, approvals and webhooks are in
 * flight; then lets everything settle and compares the database with what clients were told and what
 * arrived outside. The model, the sink of the actions, the receiver of the webhooks and the clients
 * are never broken: they are the witnesses.
 */
export interface ChaosOptions {
  seed: number
  minutes: number
  signal: AbortSignal
  log: (line: string) => void
}

export interface ChaosReport {
  faults: Map<FaultKind, number>
  /** What happened meanwhile. */
  done: Record<string, number>
  flaws: Flaws
}

const roles = ['api', 'api', 'worker', 'worker', 'worker'] as const
const runsPerSecond = 2
const settleMs = 8 * 60_000
const webhookSchedule = '0,1,1,2,2,3,3,5,5,5,5,5,5,5,5,5,5,5,5,5'

export async function chaos({ seed, minutes, signal, log }: ChaosOptions): Promise<ChaosReport> {
  await using folder = await makeScratchFolder()
  await using agent = await startScriptedAgent()
  await using sink = await startMcpSink()
  sink.onCall = (response, answer) => {
    // Some actions are done and nobody hears of it.
    if (Math.random() < 0.02) response.destroy()
    else setTimeout(answer, 400 * Math.random())
  }
  await using receiver = await startReceiverProcess(folder.path)
  await using postgres = await startEmbeddedServer({ dataDir: folder.dataDir, log })
  const modelsFile = join(folder.path, 'models.json')
  await writeFile(modelsFile, JSON.stringify(agent.modelsFile))
  const env = {
    MUSTER_MODELS_FILE: modelsFile,
    MUSTER_DEFAULT_MODEL: agentModel,
    MUSTER_SECRET_KEY: randomBytes(32).toString('base64'),
    MUSTER_WEBHOOK_SCHEDULE: webhookSchedule,
    // Far less than a burst brings.
    MUSTER_RUN_CONCURRENCY: '16',
    MUSTER_ACCOUNT_CONCURRENCY: '40',
    ...receiver.env,
  }
  const unexpected: string[] = []
  await using stack = new AsyncDisposableStack()
  const slots: Slot[] = []
  for (const [number, role] of roles.entries()) {
    const options = { name: `${role} ${number}`, role, folder: folder.path, env }
    const onUnexpectedEnd = (name: string, written: string): void => {
      unexpected.push(`${name} ended:\n${written}`)
    }
    const onFailedStart = (name: string, error: unknown): void => {
      log(`${name} did not start: ${String(error).slice(0, 500)}`)
    }
    const databaseUrl = postgres.url
    slots.push(
      stack.use(await openSlot({ ...options, databaseUrl, onUnexpectedEnd, onFailedStart })),
    )
    await until('Muster is up', 60_000, () => slots[number]?.up() !== undefined)
  }
  await using client = createClient(slots)
  const workflows = await makeWorkflows(client, sink.url)
  const subscriptions = await withDatabase(postgres.url, (database) =>
    subscribe(client, database, receiver, workflows.plain),
  )

  await using triggers = createTriggers(client, workflows)
  const steady = setInterval(() => triggers.start(1), 1_000 / runsPerSecond)
  using timers = new DisposableStack()
  timers.defer(() => clearInterval(steady))
  await using people = startPeople(client)
  const faults = new Map<FaultKind, number>()
  const schedule = makeSchedule(seed, minutes)
  const beganAt = performance.now()
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - beganAt) / 1_000)
    const count = [...faults.values()].reduce((sum, one) => sum + one, 0)
    const down = slots.filter((slot) => slot.up() === undefined).map(({ name }) => name)
    log(
      `${seconds} s: ${count} faults, ${triggers.accepted.size} runs accepted; ` +
        `down or paused: ${down.join(', ') || 'none'}`,
    )
  }, 15_000)
  timers.defer(() => clearInterval(progress))
  const targets = { slots, dataDir: folder.dataDir, burst: triggers.start }
  await playFaults(schedule, targets, faults, signal)

  heal(slots)
  clearInterval(steady)
  log('the faults are over, everything settles')
  const settled = await settle(postgres.url, slots, triggers.settle(), signal)
  await people[Symbol.asyncDispose]()

  return await withDatabase(postgres.url, async (database) => {
    const deliveries = judgeDeliveries(
      await readRunEvents(database),
      subscriptions,
      await receiver.takeArrivals(),
    )
    return {
      faults,
      done: {
        'runs accepted': triggers.accepted.size,
        'answers that counted': people.accepted.length,
        'answers that came too late': people.refused,
        'model calls': agent.calls(),
        'actions that arrived': sink.calls.filter(({ tool }) => tool === 'write').length,
        'webhook events to deliver': deliveries.expected,
        'webhook attempts that arrived': deliveries.attempts,
        'seconds to settle': settled.seconds,
      },
      flaws: {
        ...(await judgeRuns(database, triggers.accepted)),
        'triggers never accepted': Array.from({ length: triggers.refused }, () => 'a trigger'),
        ...(await judgeSteps(database)),
        ...(await judgeActions(database, sink.calls, workflows.unattended)),
        ...(await judgeAnswers(database, people.accepted)),
        'webhook events lost': Array.from({ length: deliveries.missing }, () => 'an event'),
        'webhooks that are not what was promised': deliveries.flaws,
        'answers of the API that should not be': [...triggers.flaws, ...people.flaws],
        'processes that ended on their own': unexpected,
        'jobs and deliveries left over': settled.left,
      },
    }
  })
}

/** Waits until nothing is under way any more; says what still is after eight minutes. */
async function settle(
  databaseUrl: string,
  slots: readonly Slot[],
  triggered: Promise<void>,
  signal: AbortSignal,
): Promise<{ seconds: number; left: string[] }> {
  const beganAt = performance.now()
  await until('every process is up', 180_000, () => slots.every((slot) => slot.up() !== undefined))
  await triggered
  return withDatabase(databaseUrl, async (database) => {
    for (;;) {
      const left = await findLeft(database)
      const waitedMs = performance.now() - beganAt
      if (left.length === 0 || waitedMs > settleMs) {
        return { seconds: Math.round(waitedMs / 1_000), left }
      }
      await delay(500, undefined, { signal })
    }
  })
}

async function findLeft(database: BenchDatabase): Promise<string[]> {
  const rows = await database.query<{ what: string; count: number }>(
    `select 'open runs' as what, count(*)::int as count from runs where finished_at is null
     union all select 'jobs', count(*)::int from job
     where name = 'run' and state < 'completed'
     union all select 'deliveries', count(*)::int from webhook_deliveries where status = 'pending'`,
  )
  return rows.filter(({ count }) => count > 0).map(({ what, count }) => `${count} ${what}`)
}

async function withDatabase<T>(
  url: string,
  use: (database: BenchDatabase) => Promise<T>,
): Promise<T> {
  await using database = await connectTo(url)
  return await use(database)
}
