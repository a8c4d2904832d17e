import { startEmbeddedServer } from '../server/embedded/server.ts'
import { createDatabase, createPool, type Database } from '../server/db/client.ts'
import { cursorText } from '../server/http/pagination.ts'
import { recallMemory } from '../server/memory/recall.ts'
import { Pruner } from '../server/retention/retention.ts'
import { figure, type Figure } from './report.ts'
import { createWebhook, setWebhookActive, timeGet } from '../rig/api.ts'
import { makeAskingExample } from '../rig/asking-example.ts'
import { connectTo, type BenchDatabase } from '../rig/bench-database.ts'
import { fillRuns } from '../rig/fill-runs.ts'
import { fillDeliveries, fillEvents, fillMemory, fillWaiting } from '../rig/fill-scale.ts'
import { startModelProcess } from '../rig/model-process.ts'
import { startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { median, percentile, round } from '../rig/measure.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'

interface Size {
  name: string
  /** Ended runs with two steps and five events each. */
  runs: number
  waiting: number
  deliveries: number
  /** Agents with 200 memory entries each. */
  agents: number
}

const small: Size = { name: 'few', runs: 3_000, waiting: 1_000, deliveries: 1_000, agents: 1 }
const large: Size = {
  name: 'many',
  runs: 1_000_000,
  waiting: 2_000,
  deliveries: 1_000_000,
  agents: 500,
}
const targetRatio = 1.5

/**
 * Reads of users, and one tick of retention, on a database with 1,000,000 runs and 5,000,000
 * events, compared with 3,000 runs. Both are served by processes of the same age on one PostgreSQL,
 * and requests alternate between them, so neither has a warmer process or a quieter moment.
 */
export async function millionRuns(): Promise<Figure[]> {
  await using folder = await makeScratchFolder()
  await using postgres = await startEmbeddedServer({ dataDir: folder.dataDir })
  await using model = await startModelProcess()
  const modelsFile = await model.writeModelsFile(folder.path)
  await using few = await setScene(postgres.url, folder.path, modelsFile, small)
  await using many = await setScene(postgres.url, folder.path, modelsFile, large)

  const reads: Reads = await timeReads(few, many)
  const ticks = await timeTicks(few, many)
  return [...reads, ...ticks].map(([name, { few, many }]) => {
    const ratio = many.p99 / few.p99
    return figure(
      `${name}: p50 / p99 with 1,000,000 runs; with ${small.runs}; ratios`,
      `${show(many)} ms; ${show(few)} ms; ${round(many.p50 / few.p50, 2)} / ${round(ratio, 2)}`,
      `p99 ≤ ${targetRatio} ×`,
      ratio <= targetRatio,
    )
  })
}

type Times = { p50: number; p99: number }
type Reads = Map<string, { few: Times; many: Times }>

function show({ p50, p99 }: Times): string {
  return `${round(p50)} / ${round(p99)}`
}

interface Scene extends AsyncDisposable {
  muster: MusterProcess
  bench: BenchDatabase
  /** Connected like the service. */
  database: Database
  accountId: string
  workflowId: string
  endpointId: string
  agentId: string
}

async function setScene(
  serverUrl: string,
  folder: string,
  modelsFile: string,
  size: Size,
): Promise<Scene> {
  await using stack = new AsyncDisposableStack()
  const url = new URL(serverUrl)
  {
    await using admin = await connectTo(serverUrl)
    await admin.query(`create database ${size.name}`)
    url.pathname = `/${size.name}`
  }
  const env = {
    DATABASE_URL: url.href,
    MUSTER_MODELS_FILE: modelsFile,
    MUSTER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
    // The benchmark itself runs ticks.
    MUSTER_RETAIN_EVENTS_DAYS: '0',
    MUSTER_RETAIN_TRANSCRIPTS_DAYS: '0',
    MUSTER_RETAIN_DELIVERIES_DAYS: '0',
  }
  const muster = stack.use(await startMuster({ folder, env }))
  const bench = stack.use(await connectTo(url.href))
  const database = createDatabase(createPool(url.href, 1))
  stack.defer(() => database.destroy())

  const { workflowId, runId: example } = await makeAskingExample(muster.url, bench)
  const [account] = await bench.query<{ id: string }>('select id from accounts')
  const accountId = account?.id ?? ''
  const webhook = { url: 'https://127.0.0.1:9/', events: ['run.completed'] }
  const { id: endpointId } = await createWebhook(muster.url, webhook)
  await setWebhookActive(muster.url, endpointId, false)
  await fillRuns(bench, { accountId, workflowId }, 1, size.runs)
  await fillEvents(bench)
  await fillDeliveries(bench, endpointId, size.deliveries)
  await fillWaiting(bench, example, size.waiting)
  const agentId = await fillMemory(bench, accountId, size.agents)
  const all = stack.move()
  return {
    muster,
    bench,
    database,
    accountId,
    workflowId,
    endpointId,
    agentId,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** By name: the duration of one request, the `turn`-th of its kind. */
type Requests = Map<string, (turn: number) => Promise<number>>

async function timeReads(few: Scene, many: Scene): Promise<Reads> {
  const [ofFew, ofMany] = [await nameRequests(few), await nameRequests(many)]
  const rounds = 12
  const each = 100
  const result: Reads = new Map()
  for (const [name, askMany] of ofMany) {
    const askFew = ofFew.get(name) as (turn: number) => Promise<number>
    const times = { few: [] as Times[], many: [] as Times[] }
    // The first round is a warm-up; the median of the others counts.
    for (let round = 0; round <= rounds; round++) {
      const tookMs = { few: [] as number[], many: [] as number[] }
      for (let turn = round * each; turn < (round + 1) * each; turn++) {
        // The second request may find the CPU warmer.
        if (turn % 2 === 0) tookMs.few.push(await askFew(turn))
        tookMs.many.push(await askMany(turn))
        if (turn % 2 === 1) tookMs.few.push(await askFew(turn))
      }
      if (round === 0) continue
      for (const side of ['few', 'many'] as const) times[side].push(toTimes(tookMs[side]))
    }
    result.set(name, { few: medians(times.few), many: medians(times.many) })
  }
  return result
}

async function nameRequests(scene: Scene): Promise<Requests> {
  const { muster, bench, database, accountId, workflowId, endpointId, agentId } = scene
  // A block contains about ten runs.
  const ids = await bench.query<{ id: string }>(
    `select id from runs tablesample system ((select least(100, 1e8 / count(*)) from runs))
     where status <> 'waiting_input' limit 1000`,
  )
  const old = await bench.query<{ id: string; at: Date }>(
    `select id, created_at as at from runs where status <> 'waiting_input'
     order by id offset 100 limit 100`,
  )
  const list = `/v1/workflows/${workflowId}/runs`
  const deliveries = `/v1/webhooks/${endpointId}/deliveries`
  // Following links from the first page would take 20,000 requests.
  const after = old.map((one) => cursorText(list, one))
  const get =
    (...paths: string[]) =>
    (turn: number) =>
      timeGet(muster.url, paths[turn % paths.length] ?? '')
  return new Map([
    ['list, first page', get(list)],
    ['list, deep page', get(...after.map((cursor) => `${list}?after=${cursor}`))],
    ['list, first page of a status', get(`${list}?status=failed&limit=1`)],
    ['retrieve', get(...ids.map(({ id }) => `/v1/runs/${id}`))],
    ['events of a run', get(...ids.map(({ id }) => `/v1/runs/${id}/events`))],
    ['pending', get('/v1/pending?limit=50')],
    ['deliveries', get(deliveries)],
    ['memory of an agent', get(`/v1/agents/${agentId}/memory`)],
    [
      'memory recall of a step',
      async () => {
        const began = performance.now()
        const scope = { kind: 'agent', agentId } as const
        await recallMemory(database, accountId, scope, 'a3f 1c0 77b 0e1 of some words 9d2 c4a')
        return performance.now() - began
      },
    ],
  ])
}

/** One tick of retention that finds nothing old, and one that deletes 1,000 events. */
async function timeTicks(few: Scene, many: Scene): Promise<Reads> {
  const none = { eventsDays: 0, transcriptsDays: 0, deliveriesDays: 0, auditDays: 0, runsDays: 0 }
  const ages = { eventsDays: 36_500, transcriptsDays: 36_500, deliveriesDays: 36_500 }
  const kinds = [
    ['retention tick with nothing old', { ...none, ...ages }, 60],
    ['retention tick that deletes 1,000 events', { ...none, eventsDays: 1 }, 14],
  ] as const
  const result: Reads = new Map()
  for (const [name, retention, turns] of kinds) {
    const tookMs = { few: [] as number[], many: [] as number[] }
    for (let turn = 0; turn < turns; turn++) {
      for (const [side, { database }] of Object.entries({ few, many })) {
        const pruner = new Pruner(database, retention, (error) => console.error(error))
        const began = performance.now()
        await pruner.tick()
        if (turn >= 4) tookMs[side as 'few' | 'many'].push(performance.now() - began)
      }
    }
    result.set(name, { few: toTimes(tookMs.few), many: toTimes(tookMs.many) })
  }
  return result
}

function toTimes(tookMs: number[]): Times {
  return { p50: median(tookMs), p99: percentile(tookMs, 0.99) }
}

function medians(times: Times[]): Times {
  return { p50: median(times.map(({ p50 }) => p50)), p99: median(times.map(({ p99 }) => p99)) }
}
