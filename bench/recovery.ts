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
const targetSeconds = 5
/** How long a killed worker's runs lie depends on when their leases were renewed last. */
const workerKills = 3
const patienceMs = 60_000

/** 200 runs in progress survive `kill -9` of who carries them. */
export async function recovery(): Promise<Figure[]> {
  const service = await killService()
  const worker: number[] = []
  for (let number = 0; number < workerKills; number++) worker.push(await killWorker())
  return [
    toFigure('the service, started again', service),
    toFigure(`one of two workers, the slowest of ${workerKills}`, Math.max(...worker)),
  ]
}

async function killService(): Promise<number> {
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
  await assertSound(database, model)
  return seconds
}

/** Over a PostgreSQL that both share. */
async function killWorker(): Promise<number> {
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
  await assertSound(database, model)
  return seconds
}

async function triggerRuns(load: LoadProcess, model: ModelProcess, url: string): Promise<void> {
  const workflowId = await createWorkflow(url)
  await load.trigger({ url, modelUrl: model.url, workflowId, count: runs })
}

async function assertSound(database: BenchDatabase, model: ModelProcess): Promise<void> {
  const flaws = await findFlaws(database)
  if (flaws.length > 0) throw new Error(`Runs are flawed:\n${flaws.join('\n')}`)
  const repeated = (await model.takeCalls()).length - 2 * runs
  if (repeated < 1) throw new Error('The kill came too late: it cut no model call off')
}

function secondsSince(beganAt: number): number {
  return (performance.now() - beganAt) / 1_000
}

function toFigure(killed: string, seconds: number): Figure {
  return figure(
    `kill -9 of ${killed}: until ${runs} runs in progress are completed, each step once`,
    `${round(seconds)} s`,
    `≤ ${targetSeconds} s`,
    seconds <= targetSeconds,
  )
}
