import { connectTo, type BenchDatabase } from '../rig/bench-database.ts'
import { startLoadProcess, type LoadProcess } from '../rig/load-process.ts'
import { startModelProcess, type ModelProcess } from '../rig/model-process.ts'
import { startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { createTestDatabase } from '../server/db/test-database.ts'

/** An API over a database of its own, and as many workers as a test starts. */
export interface WorkerStage extends AsyncDisposable {
  api: MusterProcess
  model: ModelProcess
  load: LoadProcess
  database: BenchDatabase
  startWorker(concurrency: number, nodeArgs?: string[]): Promise<MusterProcess>
}

export async function setWorkerStage(latencyMs: number): Promise<WorkerStage> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await makeScratchFolder())
  const { url } = stack.use(await createTestDatabase())
  const model = stack.use(await startModelProcess(latencyMs))
  const load = stack.use(await startLoadProcess())
  const env = {
    DATABASE_URL: url,
    MUSTER_MODELS_FILE: await model.writeModelsFile(folder),
    MUSTER_ACCOUNT_CONCURRENCY: '500',
  }
  const api = stack.use(await startMuster({ role: 'api', folder, env }))
  const database = stack.use(await connectTo(url))
  const all = stack.move()
  return {
    api,
    model,
    load,
    database,
    startWorker: (concurrency, nodeArgs = []) => {
      const workerEnv = { ...env, MUSTER_RUN_CONCURRENCY: String(concurrency) }
      return startMuster({ role: 'worker', folder, env: workerEnv, nodeArgs })
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

export async function hasRuns(
  database: BenchDatabase,
  status: string,
  count: number,
): Promise<boolean> {
  const rows = await database.query<{ count: number }>(
    'select count(*)::int as count from runs where status = $1',
    [status],
  )
  return rows[0]?.count === count
}
