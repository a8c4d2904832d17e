import { setTimeout as delay } from 'node:timers/promises'
import { deliveryChannel } from '../server/engine/journal/record.ts'
import { openEmbeddedServer } from '../server/embedded/server.ts'
import { figure, type Figure } from './report.ts'
import { makeAccounts } from '../rig/accounts.ts'
import { createWebhook, createWorkflow, setWebhookActive } from '../rig/api.ts'
import { type BenchDatabase, postmasterPid } from '../rig/bench-database.ts'
import { familyCpuMs, percentile, processCpuMs, round } from '../rig/measure.ts'
import { fillRuns } from '../rig/fill-runs.ts'
import { startReceiverProcess, type ReceiverProcess } from '../rig/receiver-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { openStage, type Stage } from '../rig/stage.ts'
import { until } from '../rig/until.ts'

const deliveries = 10_000
const warmUpDeliveries = 2_000
const targetPerSecond = 500

const hangingEndpoints = 20
const eventsPerSecond = 100
const measuredSeconds = 20
const targetRatio = 2

/**
 * Deliveries per second to a receiver that answers at once, and how much accounts are affected by
 * another one whose receivers never answer.
 */
export async function webhookSpeed(): Promise<Figure[]> {
  await using folder = await makeScratchFolder()
  await using receiver = await startReceiverProcess(folder.path)
  await using stage = await openStage({ env: receiver.env })
  const workflowId = await createWorkflow(stage.muster.url)
  const [workflow] = await stage.database.query<{ account_id: string }>(
    'select account_id from workflows',
  )
  const owner = { accountId: workflow?.account_id ?? '', workflowId }
  await fillRuns(stage.database, owner, 1, deliveries)

  const endpointIds: string[] = []
  for (let number = 1; number <= 10; number++) {
    endpointIds.push(await addEndpoint(stage, receiver, `/fast/${number}`))
  }
  await drain(stage, receiver, endpointIds, warmUpDeliveries)
  return [
    ...(await measureDrain(stage, receiver, endpointIds.slice(0, 1))),
    ...(await measureDrain(stage, receiver, endpointIds)),
    ...(await measureFairness(stage, receiver, endpointIds[0] ?? '')),
  ]
}

async function addEndpoint(
  { muster }: Stage,
  receiver: ReceiverProcess,
  path: string,
  apiKey?: string,
): Promise<string> {
  const webhook = { url: receiver.url + path, events: ['run.completed'] }
  return (await createWebhook(muster.url, webhook, apiKey)).id
}

async function measureDrain(
  stage: Stage,
  receiver: ReceiverProcess,
  endpointIds: string[],
): Promise<Figure[]> {
  const postgres = await postmasterPid(stage.dataDir)
  const before = {
    node: await processCpuMs(stage.muster.pid),
    postgres: await familyCpuMs(postgres),
  }
  const perSecond = await drain(stage, receiver, endpointIds, deliveries)
  const nodeMs = (await processCpuMs(stage.muster.pid)) - before.node
  const postgresMs = (await familyCpuMs(postgres)) - before.postgres
  const endpoints = endpointIds.length === 1 ? 'one endpoint' : `${endpointIds.length} endpoints`
  return [
    figure(
      `webhook deliveries/s to ${endpoints} (${deliveries} pending)`,
      round(perSecond, 0),
      `≥ ${targetPerSecond}`,
      perSecond >= targetPerSecond,
    ),
    figure(
      `CPU of Muster / PostgreSQL a delivery, ${endpoints}`,
      `${round(nodeMs / deliveries, 2)} / ${round(postgresMs / deliveries, 2)} ms`,
    ),
  ]
}

/** Inserts deliveries of ended runs, then releases them; returns how many arrived per second. */
async function drain(
  { muster, database }: Stage,
  receiver: ReceiverProcess,
  endpointIds: string[],
  count: number,
): Promise<number> {
  for (const id of endpointIds) await setWebhookActive(muster.url, id, false)
  await insertDeliveries(database, endpointIds, count)
  await database.query('vacuum (analyze) webhook_deliveries')
  for (const id of endpointIds) await setWebhookActive(muster.url, id, true)
  await until(
    `${count} deliveries arrived`,
    120_000,
    async () => {
      return (await receiver.countArrivals()) >= count && (await countPending(database)) === 0
    },
    50,
  )
  const arrivals = await receiver.takeArrivals()
  if (arrivals.length !== count) throw new Error(`${arrivals.length} of ${count} arrived`)
  // The middle 80 % excludes start and end of the load.
  const at = (share: number): number => arrivals[Math.floor(count * share)]?.at ?? 0
  return (count * 0.8) / ((at(0.9) - at(0.1)) / 1_000)
}

/** Inserted and announced like the service does, one for each run, by turns among the endpoints. */
async function insertDeliveries(
  database: BenchDatabase,
  endpointIds: string[],
  count: number,
): Promise<void> {
  await database.query(
    `insert into webhook_deliveries
       (id, account_id, endpoint_id, event_id, event_type, run_id, snapshot)
     select new_id('dlv'), endpoint.account_id, endpoint.id, new_id('evt'), 'run.completed', run.id,
            jsonb_build_object('id', run.id, 'workflow_id', run.workflow_id, 'status', run.status,
              'error', run.error, 'total_steps', run.total_steps, 'tokens_in', run.tokens_in,
              'tokens_out', run.tokens_out, 'cost_usd', run.cost_usd, 'created_at', run.created_at,
              'finished_at', run.finished_at, 'sequence', run.last_sequence)
     from (select *, row_number() over (order by id) as number from runs limit $2::int) as run
     join webhook_endpoints as endpoint
       on endpoint.id = ($1::text[])[1 + run.number % cardinality($1::text[])]`,
    [endpointIds, count],
  )
  await database.query(`notify ${deliveryChannel}`)
}

async function countPending(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::int as count from webhook_deliveries where status = 'pending'`,
  )
  return row?.count ?? 0
}

/** Latency of one account's deliveries at a steady rate, without and with receivers that hang. */
async function measureFairness(
  stage: Stage,
  receiver: ReceiverProcess,
  endpointId: string,
): Promise<Figure[]> {
  const alone = await timeDeliveries(stage, receiver, endpointId)
  await using server = await openEmbeddedServer({ dataDir: stage.dataDir })
  const [other] = await makeAccounts(server.url, 1)
  const hangingIds: string[] = []
  for (let number = 1; number <= hangingEndpoints; number++) {
    const path = `/hanging/${number}`
    receiver.addHooks({ [path]: { hangs: 1 } })
    hangingIds.push(await addEndpoint(stage, receiver, path, other?.adminKey))
  }
  await insertDeliveries(stage.database, hangingIds, deliveries)
  await until('receivers hang', 5_000, async () => (await receiver.countArrivals()) > 0)
  const beside = await timeDeliveries(stage, receiver, endpointId)
  const ratio = beside.p99 / alone.p99
  return [
    figure(
      `event → arrival, ${eventsPerSecond} events/s, beside ${hangingEndpoints} endpoints of another account that never answer (${deliveries} pending): p50 / p99; without them`,
      `${round(beside.p50)} / ${round(beside.p99)} ms; ${round(alone.p50)} / ${round(alone.p99)} ms`,
      `p99 ≤ ${targetRatio} ×`,
      ratio <= targetRatio,
    ),
  ]
}

async function timeDeliveries(
  { database }: Stage,
  receiver: ReceiverProcess,
  endpointId: string,
): Promise<{ p50: number; p99: number }> {
  const count = eventsPerSecond * measuredSeconds
  const beganAt = performance.now()
  for (let number = 0; number < count; number++) {
    const waitMs = beganAt + (number * 1_000) / eventsPerSecond - performance.now()
    if (waitMs > 0) await delay(waitMs)
    await insertDeliveries(database, [endpointId], 1)
  }
  const latencies: number[] = []
  let hung = 0
  await until(`${count} deliveries arrived`, 30_000, async () => {
    for (const { path, latencyMs } of await receiver.takeArrivals()) {
      if (path.startsWith('/fast')) latencies.push(latencyMs)
      else hung++
    }
    return latencies.length >= count
  })
  if (hung > 0) console.error(`${hung} requests hung meanwhile`)
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) }
}
