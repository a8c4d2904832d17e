import { connectTo, type BenchDatabase } from '../rig/bench-database.ts'
import { benchModels, writeModelsFile } from '../rig/models-file.ts'
import { startMuster, type MusterOptions, type MusterProcess } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { startScriptedServer, type ScriptedServer } from '../rig/scripted-server.ts'
import { until } from '../rig/until.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import type { ServerResponse } from 'node:http'

/** A model server that does what a test says, a database, and as many processes of Muster as the test starts. */
export interface ScriptedStage extends AsyncDisposable {
  models: ScriptedServer
  database: BenchDatabase
  /** Ends with the stage, unless it ended before. */
  start(role: 'api' | 'worker', options?: Partial<MusterOptions>): Promise<MusterProcess>
  /** Looks on until so many runs are completed; fails as soon as one has failed. Why runs were held meanwhile. */
  allComplete(count: number, timeoutMs: number): Promise<Set<string>>
}

export interface StageScript {
  /** What was asked is not kept: there may be thousands. */
  answer: (response: ServerResponse, request: { path: string; body: string }) => void
  /** The models file; by default the model `bench` at the server. */
  modelsFile?: (url: string) => object
  env?: Record<string, string>
}

export async function setScriptedStage(script: StageScript): Promise<ScriptedStage> {
  const { answer, modelsFile = benchModels, env = {} } = script
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await makeScratchFolder())
  const { url } = stack.use(await createTestDatabase())
  const models = stack.use(
    await startScriptedServer((response, call) => {
      const request = models.requests[call - 1] ?? { path: '', body: '' }
      models.requests[call - 1] = { path: '', headers: {}, body: '' }
      answer(response, request)
    }),
  )
  const all = {
    DATABASE_URL: url,
    MUSTER_MODELS_FILE: await writeModelsFile(folder, modelsFile(models.url)),
    MUSTER_ACCOUNT_CONCURRENCY: '1000',
    ...env,
  }
  const database = stack.use(await connectTo(url))
  const stage = stack.move()
  return {
    models,
    database,
    start: async (role, options = {}) =>
      stage.use(await startMuster({ role, folder, ...options, env: { ...all, ...options.env } })),
    allComplete: (count, timeoutMs) => allComplete(database, count, timeoutMs),
    [Symbol.asyncDispose]: () => stage.disposeAsync(),
  }
}

async function allComplete(
  database: BenchDatabase,
  count: number,
  timeoutMs: number,
): Promise<Set<string>> {
  const reasons = new Set<string>()
  let seen = ''
  const isOver = async (): Promise<boolean> => {
    const rows = await database.query<{ status: string; held: string | null; count: number }>(
      `select status, held ->> 'reason' as held, count(*)::int as count from runs group by 1, 2`,
    )
    seen = JSON.stringify(rows)
    if (rows.some(({ status }) => status === 'failed')) throw new Error(`Runs have failed: ${seen}`)
    const open = rows.filter(({ status }) => status !== 'completed')
    for (const { held } of open) if (held !== null) reasons.add(held)
    return open.length === 0 && rows.reduce((sum, row) => sum + row.count, 0) === count
  }
  await until('all runs are completed', timeoutMs, isOver, 100).catch((cause: unknown) => {
    throw new Error(`Not all of ${count} runs are completed: ${seen}`, { cause })
  })
  return reasons
}
