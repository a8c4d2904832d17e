import { connectToEmbedded, type BenchDatabase } from './bench-database.ts'
import { startLoadProcess, type LoadProcess } from './load-process.ts'
import { startModelProcess, type ModelProcess } from './model-process.ts'
import { startMuster, type MusterProcess } from './muster-process.ts'
import { makeScratchFolder } from './scratch-folder.ts'

/**
 * The environment of most benchmarks: Muster in one process (API and worker) with its embedded
 * database, fsync on, a model server and a client, each in a process of its own.
 */
export interface Stage extends AsyncDisposable {
  muster: MusterProcess
  model: ModelProcess
  load: LoadProcess
  database: BenchDatabase
  dataDir: string
}

export interface StageOptions {
  latencyMs?: number
  runConcurrency?: number
  env?: Record<string, string>
}

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { latencyMs = 0, runConcurrency = 500, env = {} } = options
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await makeScratchFolder())
  const model = stack.use(await startModelProcess(latencyMs))
  const load = stack.use(await startLoadProcess())
  const muster = stack.use(
    await startMuster({
      folder: folder.path,
      env: {
        MUSTER_DATA_DIR: folder.dataDir,
        MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
        MUSTER_RUN_CONCURRENCY: String(runConcurrency),
        MUSTER_ACCOUNT_CONCURRENCY: String(runConcurrency),
        ...env,
        ...benchEnv(),
      },
      nodeArgs: (process.env['BENCH_NODE_ARGS'] ?? '').split(' ').filter((arg) => arg !== ''),
    }),
  )
  const database = stack.use(await connectToEmbedded(folder.dataDir))
  const all = stack.move()
  return {
    muster,
    model,
    load,
    database,
    dataDir: folder.dataDir,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Settings for profiling, such as BENCH_ENV_LOG_LEVEL=warn. */
function benchEnv(): Record<string, string> {
  const prefix = 'BENCH_ENV_'
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith(prefix) && value !== undefined ? [[name.slice(prefix.length), value]] : [],
    ),
  )
}
