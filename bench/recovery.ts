import { setTimeout as delay } from 'node:timers/promises'
import { startEmbeddedServer } from '../server/embedded/server.ts'
import { figure, type Figure } from './report.ts'
import { createWorkflow } from '../rig/api.ts'
import { connectTo, connectToEmbedded, type BenchDatabase } from '../rig/bench-database.ts'
import { findFlaws, waitForCompleted } from '../rig/completed.ts'
import { startLoadProcess, type LoadProcess } from '../rig/load-process.ts'
import { startModelProcess, type ModelProcess } from '../rig/model-process.ts'
import { startMuster } from '../rig/muster-process.ts'
import { round } from '../rig/measure.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'

const runs = 200
const latencyMs = 300
/** For a service, including its start; for a worker, whose leases must expire. */
const targetSeconds = { service: 20, worker: 5 }
/** How long a killed worker's runs wait depends on when their leases were last renewed. */
const workerKills = 3
const patienceMs = 60_000
const attempts = 5

/** 200 runs in progress survive the `kill -9` of their process. */
export async function recovery(): Promise<Figure[]> {
  const service = await inTheMiddle(killService)
  const worker: number[] = []
  for (let number = 0; number < workerKills; number++) worker.push(await inTheMiddle(killWorker))
  return [
    toFigure('the service, started again', service, targetSeconds.service),
    toFigure(
      `one of two workers, the slowest of ${workerKills}`,
      Math.max(...worker),
      targetSeconds.worker,
    ),
  ]
}

/** On a busy machine a kill may come after everything is done, and would prove nothing. */
async function inTheMiddle(kill: () => Promise<number | undefined>): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const seconds = await kill()
    if (seconds !== undefined) return seconds
  }
  throw new Error(`${attempts} kills came too late: none cut a model call off`)
}

async function killService(): Promise<number | undefined> {
  await using folder = await makeScratchFolder()
  await using model = await startModelProcess(latencyMs)
  await using load = await startLoadProcess()
  const env = {
    MUSTER_DATA_DIR: folder.dataDir,
    MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
    MUSTER_ACCOUNT_CONCURRENCY: '500',
  }
  const start = () => startMuster({ folder: folder.path, env })
  await using first = await start()
  await triggerRuns(load, model, first.url)
  await delay(300 * Math.random())
  await first.kill()

  const beganAt = performance.now()
  await using _second = await start()
  await using database = await connectToEmbedded(folder.dataDir)
  await waitForCompleted(database, runs, patienceMs)
  const seconds = secondsSince(beganAt)
  return (await hasRepeated(database, model)) ? seconds : undefined
}

/** With a PostgreSQL that both workers share. */
async function killWorker(): Promise<number | undefined> {
  await using folder = await makeScratchFolder()
  await using model = await startModelProcess(latencyMs)
  await using load = await startLoadProcess()
  await using postgres = await startEmbeddedServer({ dataDir: folder.dataDir })
  const env = {
    DATABASE_URL: postgres.url,
    MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
    MUSTER_ACCOUNT_CONCURRENCY: '500',
    // Neither worker can take all runs.
    MUSTER_RUN_CONCURRENCY: '120',
  }
  await using api = await startMuster({ role: 'api', folder: folder.path, env })
  await using worker = await startMuster({ role: 'worker', folder: folder.path, env })
  await using _other = await startMuster({ role: 'worker', folder: folder.path, env })
  await triggerRuns(load, model, api.url)
  await delay(300 * Math.random())

  const beganAt = performance.now()
  await worker.kill()
  await using database = await connectTo(postgres.url)
  await waitForCompleted(database, runs, patienceMs)
  const seconds = secondsSince(beganAt)
  return (await hasRepeated(database, model)) ? seconds : undefined
}

async function triggerRuns(load: LoadProcess, model: ModelProcess, url: string): Promise<void> {
  const workflowId = await createWorkflow(url)
  await load.trigger({ url, modelUrl: model.url, workflowId, count: runs })
}

/** Whether a model call was interrupted; fails if a run is not as it should be. */
async function hasRepeated(database: BenchDatabase, model: ModelProcess): Promise<boolean> {
  const flaws = await findFlaws(database)
  if (flaws.length > 0) throw new Error(`Runs are flawed:\n${flaws.join('\n')}`)
  return (await model.takeCalls()).length > 2 * runs
}

function secondsSince(beganAt: number): number {
  return (performance.now() - beganAt) / 1_000
}

function toFigure(killed: string, seconds: number, target: number): Figure {
  return figure(
    `kill -9 of ${killed}: until ${runs} runs in progress are completed, each step once`,
    `${round(seconds)} s`,
    `≤ ${target} s`,
    seconds <= target,
  )
}
