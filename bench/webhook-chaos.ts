import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbeddedServer } from '../server/embedded/server.ts'
import { figure, type Figure } from './report.ts'
import { makeAccounts, type BenchAccount } from '../rig/accounts.ts'
import { createWebhook, createWorkflow } from '../rig/api.ts'
import { connectTo, type BenchDatabase } from '../rig/bench-database.ts'
import { startLoadProcess } from '../rig/load-process.ts'
import { startModelProcess } from '../rig/model-process.ts'
import { startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { round } from '../rig/measure.ts'
import { startReceiverProcess, type ReceiverProcess } from '../rig/receiver-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { judgeDeliveries, readRunEvents, type Subscription } from '../rig/delivery-judge.ts'

const accounts = 20
const runsPerWorkflow = 250
const runs = accounts * 2 * runsPerWorkflow
const fails = 0.2
const hangs = 0.05
const killEveryMs = 2_000
const patienceMs = 8 * 60_000
const schedule = '0,1,1,2,2,3,3,5,5,5,5,5,5,5,5,5,5,5,5,5'

/**
 * No event is lost: runs end and deliveries are made while receivers fail and hang, and workers are
 * killed until the last delivery has been made. What arrived is compared with the events of the
 * database.
 */
export async function webhookChaos(): Promise<Figure[]> {
  await using folder = await makeScratchFolder()
  await using model = await startModelProcess(0)
  await using load = await startLoadProcess()
  await using receiver = await startReceiverProcess(folder.path)
  await using postgres = await startEmbeddedServer({ dataDir: folder.dataDir })
  const env = {
    DATABASE_URL: postgres.url,
    MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
    MUSTER_SECRET_KEY: randomBytes(32).toString('base64'),
    MUSTER_WEBHOOK_SCHEDULE: schedule,
    ...receiver.env,
  }
  await using api = await startMuster({ role: 'api', folder: folder.path, env })
  await using database = await connectTo(postgres.url)
  const subscriptions: Subscription[] = []
  const workflows: { id: string; apiKey: string }[] = []
  for (const account of await makeAccounts(postgres.url, accounts)) {
    const ids = [
      await createWorkflow(api.url, 'bench', account.adminKey),
      await createWorkflow(api.url, 'bench', account.adminKey),
    ]
    workflows.push(...ids.map((id) => ({ id, apiKey: account.adminKey })))
    subscriptions.push(...(await subscribe(api, receiver, account, ids[0] ?? '')))
  }

  const beganAt = performance.now()
  await using workers = await startKilling(() =>
    startMuster({ role: 'worker', folder: folder.path, env }),
  )
  for (const [number, { id, apiKey }] of workflows.entries()) {
    await load.trigger({
      url: api.url,
      apiKey,
      workflowId: id,
      modelUrl: model.url,
      firstTag: number * runsPerWorkflow,
      count: runsPerWorkflow,
      connections: 16,
    })
  }
  let runsEndedAt = 0
  await until(
    'every run ended and every delivery is made',
    patienceMs,
    async () => {
      workers.check()
      const { ended, pending } = await countProgress(database)
      if (ended === runs && runsEndedAt === 0) runsEndedAt = performance.now()
      return ended === runs && pending === 0
    },
    500,
  )
  const endedAt = performance.now()
  const kills = await workers.stop()

  const result = judgeDeliveries(
    await readRunEvents(database),
    subscriptions,
    await receiver.takeArrivals(),
  )
  const { expected, missing, flaws, attempts, duplicates, answers } = result
  if (flaws.length > 0) console.error(flaws.slice(0, 20).join('\n'))
  const recorded = await countAttempts(database)
  return [
    figure(
      `${runs} runs of ${accounts} accounts end, ${expected} events to deliver, receivers fail ${fails * 100} % and hang ${hangs * 100} %, ${kills} × kill -9 of a worker: events that never arrived`,
      String(missing),
      '0',
      missing === 0,
    ),
    figure(
      'the same: forged, changed, or sent to who did not subscribe',
      String(flaws.length),
      '0',
      flaws.length === 0,
    ),
    figure(
      'the same: attempts that arrived (taken, failed, hung); attempts in the history',
      `${attempts} (${answers.taken}, ${answers.failed}, ${answers.hung}); ${recorded}`,
    ),
    figure('the same: events taken more than once, under the same webhook-id', String(duplicates)),
    figure(
      'the same: until all runs ended; until all deliveries were made',
      `${round((runsEndedAt - beganAt) / 1_000, 0)} s; ${round((endedAt - beganAt) / 1_000, 0)} s`,
    ),
  ]
}

async function subscribe(
  api: MusterProcess,
  receiver: ReceiverProcess,
  { id: accountId, adminKey: apiKey }: BenchAccount,
  someWorkflowId: string,
): Promise<Subscription[]> {
  const wanted: Omit<Subscription, 'accountId'>[] = [
    { path: '/all', events: ['run.started', 'run.completed'], workflowId: undefined },
    { path: '/some', events: ['run.completed'], workflowId: someWorkflowId },
    { path: '/failures', events: ['run.failed'], workflowId: undefined },
  ]
  const subscriptions: Subscription[] = []
  for (const { path: name, events, workflowId } of wanted) {
    const path = `/${accountId}${name}`
    const webhook = {
      url: receiver.url + path,
      events,
      ...(workflowId === undefined ? {} : { workflow_id: workflowId }),
    }
    const { secret } = await createWebhook(api.url, webhook, apiKey)
    receiver.addHooks({ [path]: { secret, fails, hangs } })
    subscriptions.push({ path, accountId, events, workflowId })
  }
  return subscriptions
}

interface Killing extends AsyncDisposable {
  /** Throws what went wrong in the background. */
  check(): void
  /** Ends the kills and the workers; returns how many were killed. */
  stop(): Promise<number>
}

/** Two workers, one of which is killed every two seconds, in turn, and another started for it. */
async function startKilling(start: () => Promise<MusterProcess>): Promise<Killing> {
  const workers = [await start(), await start()]
  const over = new AbortController()
  let kills = 0
  let failure: unknown
  const loop = (async () => {
    const pause = () => delay(killEveryMs, undefined, { signal: over.signal }).catch(() => {})
    await pause()
    for (; !over.signal.aborted; kills++) {
      await workers[kills % 2]?.kill()
      const [started] = await Promise.all([start(), pause()])
      workers[kills % 2] = started
    }
  })().catch((error: unknown) => {
    failure = error ?? new Error('The workers ended')
  })
  const stop = async (): Promise<number> => {
    over.abort()
    await loop
    await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
    return kills
  }
  return {
    check: () => {
      if (failure !== undefined) throw failure
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}

async function countProgress(database: BenchDatabase): Promise<{ ended: number; pending: number }> {
  const [row] = await database.query<{ ended: number; pending: number }>(
    `select (select count(*)::int from runs where finished_at is not null) as ended,
            (select count(*)::int from webhook_deliveries where status = 'pending') as pending`,
  )
  if (row === undefined) throw new Error('Counting gave no row')
  return row
}

async function countAttempts(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'select sum(jsonb_array_length(attempts))::int as count from webhook_deliveries',
  )
  return row?.count ?? 0
}
