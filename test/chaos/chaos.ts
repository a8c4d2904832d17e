import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { BenchDatabase } from '../../rig/bench-database.ts'
import { judgeDeliveries, readRunEvents } from '../../rig/delivery-judge.ts'
import { startMcpSink } from '../../rig/mcp-sink.ts'
import { startReceiverProcess } from '../../rig/receiver-process.ts'
import { makeScratchFolder } from '../../rig/scratch-folder.ts'
import { until } from '../../rig/until.ts'
import { openCitusGround } from './citus-ground.ts'
import { createClient } from './client.ts'
import { makeCopies } from './copy.ts'
import { startEmbeddedGround } from './embedded-ground.ts'
import { play, playStorm } from './faults.ts'
import { withDatabase, type Node } from './ground.ts'
import { startPeople } from './people.ts'
import { makeProbes, type Probe } from './probe.ts'
import { isOfNode, makeSolos, makeStorm, type FaultKind } from './schedule.ts'
import { agentModel, startScriptedAgent } from './scripted-agent.ts'
import { openSlot, type Slot } from './slot.ts'
import { makeStranger } from './stranger.ts'
import { createTriggers } from './triggers.ts'
import {
  judgeActions,
  judgeAnswers,
  judgeBudgets,
  judgeRuns,
  judgeSteps,
  judgeUsage,
  type Flaws,
} from './verdict.ts'
import { makeWorkflows, subscribe } from './workload.ts'
import { writeModelsFile } from '../../rig/models-file.ts'

/**
 * Breaks everything that can break while runs with tools, approvals and webhooks are in progress:
 * first many faults at once, for minutes, then one after the other, each time measuring how soon a
 * new run is completed. New runs are triggered continuously; runs accepted before a cutoff must
 * settle, and the database is compared with what clients were promised and what arrived outside.
 * The model, the sink of the actions, the receiver of webhooks and the clients are never broken:
 * they are the witnesses.
 */
export interface ChaosOptions {
  seed: number
  /** Duration of overlapping faults; may be 0. */
  stormMinutes: number
  stormKinds: readonly FaultKind[]
  /** Kinds of faults that are played one by one. */
  kinds: readonly FaultKind[]
  /** Tables to lock, such as `muster.runs`; undefined for all. */
  tables: readonly string[] | undefined
  /** Duration of each single fault of the database; undefined for the default. */
  seconds: number | undefined
  /** The Citus cluster to use; undefined for a single PostgreSQL. */
  cluster: { address: string; restart: string } | undefined
  signal: AbortSignal
  log: (line: string) => void
}

export interface ChaosReport {
  faults: Map<FaultKind, number>
  skipped: string[]
  /** Counts of what happened. */
  done: Record<string, number>
  /** Seconds from the end of a fault until the first new run was completed. */
  recoveries: { fault: string; seconds: number }[]
  flaws: Flaws
}

const roles = ['api', 'api', 'worker', 'worker', 'worker'] as const
const runsPerSecond = 2
/** All servers of the cluster share one machine with everything else. */
const clusterRunsPerSecond = 1
const settleMs = 8 * 60_000
const recoverySeconds = 10
const webhookSchedule = '0,1,1,2,2,3,3,5,5,5,5,5,5,5,5,5,5,5,5,5'

export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, stormMinutes, kinds, seconds, signal, log } = options
  await using folder = await makeScratchFolder()
  await using agent = await startScriptedAgent()
  await using sink = await startMcpSink()
  sink.onCall = (response, answer) => {
    // Some actions are done although their response is lost.
    if (Math.random() < 0.02) response.destroy()
    else setTimeout(answer, 400 * Math.random())
  }
  await using receiver = await startReceiverProcess(folder.path)
  await mkdir(folder.dataDir)
  await using stack = new AsyncDisposableStack()
  const ground = stack.use(
    options.cluster === undefined
      ? await startEmbeddedGround(folder.dataDir, log)
      : await openCitusGround(options.cluster.address, options.cluster.restart, log),
  )
  const { skipped } = ground
  for (const line of skipped) log(`SKIPPED ${line}`)
  const modelsFile = await writeModelsFile(folder.path, agent.modelsFile)
  const env = {
    MUSTER_MODELS_FILE: modelsFile,
    MUSTER_DEFAULT_MODEL: agentModel,
    MUSTER_SECRET_KEY: randomBytes(32).toString('base64'),
    MUSTER_WEBHOOK_SCHEDULE: webhookSchedule,
    // Far fewer than a burst triggers; the probe's account still gets a slot.
    MUSTER_RUN_CONCURRENCY: '16',
    MUSTER_ACCOUNT_CONCURRENCY: '40',
    ...receiver.env,
  }
  const unexpected: string[] = []
  const slots: Slot[] = []
  for (const [number, role] of roles.entries()) {
    const slot = { name: `${role} ${number}`, role, folder: folder.path, env }
    const onUnexpectedEnd = (name: string, written: string): void => {
      unexpected.push(`${name} ended:\n${written}`)
    }
    const onFailedStart = (name: string, error: unknown): void => {
      log(`${name} did not start: ${String(error).slice(0, 500)}`)
    }
    const databaseUrl = ground.url
    slots.push(stack.use(await openSlot({ ...slot, databaseUrl, onUnexpectedEnd, onFailedStart })))
    await until('Muster is up', 60_000, () => slots[number]?.up() !== undefined)
  }
  const client = stack.use(createClient(slots))
  const workflows = await makeWorkflows(client, sink.url)
  const subscriptions = await withDatabase(ground.url, (database) =>
    subscribe(client, database, receiver, workflows.plain),
  )
  const probes = await makeProbes(client, ground, slots[0]?.up()?.url ?? '')
  const [probe] = probes

  const triggers = stack.use(createTriggers(client, workflows))
  const rate = options.cluster === undefined ? runsPerSecond : clusterRunsPerSecond
  const steady = setInterval(() => triggers.start(1), 1_000 / rate)
  stack.defer(() => clearInterval(steady))
  const people = stack.use(startPeople(client))
  const faults = new Map<FaultKind, number>()
  const stranger = makeStranger(ground.url, ground.disk)
  const tables = options.tables ?? (await stranger.listTables())
  const burst = triggers.start
  const runCopy = makeCopies(stranger, { folder: folder.path, env }, log)
  const targets = { slots, stranger, tables, ground, runCopy, burst, log }
  const beganAt = performance.now()
  const progress = setInterval(() => {
    const count = [...faults.values()].reduce((sum, one) => sum + one, 0)
    const down = slots.filter((slot) => slot.up() === undefined).map(({ name }) => name)
    log(
      `${secondsSince(beganAt)} s: ${count} faults, ${triggers.accepted.size} runs accepted; ` +
        `down or paused: ${down.join(', ') || 'none'}`,
    )
  }, 15_000)
  stack.defer(() => clearInterval(progress))

  const recoveries: ChaosReport['recoveries'] = []
  const recover = async (fault: string, by: Probe = probe): Promise<void> => {
    const tookSeconds = (await by.time(signal)) / 1_000
    recoveries.push({ fault, seconds: tookSeconds })
    log(`${fault}: a new run was completed after ${tookSeconds.toFixed(1)} s`)
  }
  if (stormMinutes > 0) {
    await playStorm(makeStorm(seed, stormMinutes, options.stormKinds), targets, faults, signal)
    await recover('the storm')
  }
  const withoutNode = async (kind: FaultKind, node: Node): Promise<void> => {
    for (const other of probes) {
      if (other.node !== node) await recover(`${kind}, an account elsewhere meanwhile`, other)
    }
  }
  for (const solo of makeSolos(seed, kinds, tables.length, seconds, ground.nodes.length)) {
    await delay(1_000, undefined, { signal })
    const hit = await play(solo, { ...targets, withoutNode }, faults)
    if (hit === undefined) continue
    for (const each of isOfNode(solo.kind) ? probes : [probe]) {
      await recover(`${solo.kind} of ${hit}`, each)
    }
  }

  log('the faults are over; what was accepted so far settles while runs keep coming')
  const settled = await settle(ground.url, slots, triggers, probes, signal)
  const { due } = settled
  // Before the database is read, which therefore never knows less.
  const arrivals = await receiver.takeArrivals()
  const calls = [...sink.calls]
  const answers = [...people.accepted]
  const accepted = [...triggers.accepted.values(), ...probes.flatMap((one) => one.accepted)]
  // No snapshot spans nodes, so writes must have stopped.
  if (ground.nodes.length > 0) for (const slot of slots) await slot[Symbol.asyncDispose]()
  return await ground.judge(async (database) => {
    const events = await readRunEvents(database)
    const deliveries = judgeDeliveries(events, subscriptions, arrivals, (id) => due.has(id))
    return {
      faults,
      skipped,
      recoveries,
      done: {
        'runs accepted before the cut-off': due.size,
        'runs accepted since': accepted.length - due.size,
        'answers that counted': answers.length,
        'answers that came too late': people.refused,
        'model calls': agent.calls(),
        'actions that arrived': calls.filter(({ tool }) => tool === 'write').length,
        'webhook events to deliver': deliveries.expected,
        'webhook attempts that arrived': deliveries.attempts,
        'seconds to settle': settled.seconds,
      },
      flaws: {
        [`no new run within ${recoverySeconds} s of a fault`]: recoveries
          .filter((one) => one.seconds > recoverySeconds)
          .map((one) => `${one.fault}: ${one.seconds.toFixed(1)} s`),
        ...(await judgeRuns(database, accepted, due)),
        'triggers never accepted': Array.from({ length: triggers.refused }, () => 'a trigger'),
        ...(await judgeSteps(database, due)),
        ...(await judgeUsage(database)),
        ...(await judgeBudgets(database)),
        ...(await judgeActions(database, calls, workflows.unattended, due)),
        ...(await judgeAnswers(database, answers)),
        'webhook events lost': Array.from({ length: deliveries.missing }, () => 'an event'),
        'webhooks that are not what was promised': deliveries.flaws,
        'answers of the API that should not be': [...triggers.flaws, ...people.flaws],
        'statements in an aborted transaction': await findPoisoned(folder.path),
        'processes that ended on their own': unexpected,
        'jobs and deliveries left over': settled.left,
      },
    }
  })
}

/**
 * Waits until all work that has been accepted by now is done; returns what is still open after
 * eight minutes.
 */
async function settle(
  databaseUrl: string,
  slots: readonly Slot[],
  triggers: Pick<ReturnType<typeof createTriggers>, 'accepted' | 'settle'>,
  probes: Probe[],
  signal: AbortSignal,
): Promise<{ due: Set<string>; seconds: number; left: string[] }> {
  const beganAt = performance.now()
  await until('every process is up', 180_000, () => slots.every((slot) => slot.up() !== undefined))
  await triggers.settle()
  const due = new Set([
    ...triggers.accepted.values(),
    ...probes.flatMap(({ accepted }) => accepted),
  ])
  return withDatabase(databaseUrl, async (database) => {
    for (;;) {
      const left = await findLeft(database, [...due])
      if (left.length === 0 || performance.now() - beganAt > settleMs) {
        return { due, seconds: secondsSince(beganAt), left }
      }
      await delay(500, undefined, { signal })
    }
  })
}

async function findLeft(database: BenchDatabase, due: string[]): Promise<string[]> {
  const rows = await database.query<{ what: string; count: number }>(
    `select 'open runs' as what, count(*)::int as count from runs
     where id = any($1) and finished_at is null
     union all select 'jobs', count(*)::int from jobs where run_id = any($1)
     union all select 'deliveries', count(*)::int from webhook_deliveries
     where run_id = any($1) and status = 'pending'`,
    [due],
  )
  return rows.filter(({ count }) => count > 0).map(({ what, count }) => `${count} ${what}`)
}

/** Log lines that show a connection that was reused in a failed transaction. */
async function findPoisoned(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log'))
  const logs = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return logs.flatMap((text, index) =>
    text
      .split('\n')
      .filter((line) => line.includes('25P02'))
      .map((line) => `${names[index]}: ${/"msg":"[^"]*"}$/.exec(line)?.[0] ?? line.slice(0, 200)}`),
  )
}

function secondsSince(beganAt: number): number {
  return Math.round((performance.now() - beganAt) / 1_000)
}
