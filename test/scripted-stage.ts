import { connectTo, type BenchDatabase } from '../rig/bench-database.ts'
import { benchModels, writeModelsFile } from '../rig/models-file.ts'
import {
  adminKey,
  startMuster,
  type MusterOptions,
  type MusterProcess,
} from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { startScriptedServer, type ScriptedServer } from '../rig/scripted-server.ts'
import { until } from '../rig/until.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import type { ProcessRole } from '../server/start/app.ts'
import type { ServerResponse } from 'node:http'
import { clientOf, type ApiClient } from './api-client.ts'

/** A database, processes of the service on it, and a scripted model server in this process. */
export interface ScriptedStage extends AsyncDisposable, ApiClient {
  models: ScriptedServer
  database: BenchDatabase
  databaseUrl: string
  /** Ends with the stage, unless it ended before. Requests go to the newest process with an API. */
  start(role: ProcessRole, options?: Partial<MusterOptions>): Promise<MusterProcess>
  /** Triggers this many runs, some in parallel. */
  triggerAll(workflowId: string, count: number): Promise<string[]>
  hasRuns(status: string, count: number): Promise<boolean>
  /**
   * Waits until this many runs are completed; fails as soon as one has failed. Returns why runs
   * were held meanwhile.
   */
  allComplete(count: number, timeoutMs: number): Promise<Set<string>>
}

export interface StageScript {
  /** Requests are not recorded, because there may be thousands. */
  answer: (response: ServerResponse, request: { path: string; body: string }) => void
  /** The models file; by default with the model `bench` on the server. */
  modelsFile?: (url: string) => object
  env?: Record<string, string>
}

/** Two steps, as `findFlaws` expects. */
export const crewOfTwo = {
  model: 'bench',
  crew: ['planner', 'writer'].map((role) => ({ role, systemPrompt: 'Work.' })),
}

export async function openScriptedStage(script: StageScript): Promise<ScriptedStage> {
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
  let apiUrl = ''
  const client = clientOf(() => apiUrl, adminKey)
  return {
    ...client,
    models,
    database,
    databaseUrl: url,
    start: async (role, options = {}) => {
      const given = { role, folder, ...options, env: { ...all, ...options.env } }
      const started = stage.use(await startMuster(given))
      if (started.url !== '') apiUrl = started.url
      return started
    },
    triggerAll: async (workflowId, count) => {
      const ids: string[] = []
      const left = Array.from({ length: count }).keys()
      const work = async (): Promise<void> => {
        for (const number of left) ids[number] = await client.trigger(workflowId, `#${number}# go`)
      }
      await Promise.all(Array.from({ length: 20 }, work))
      return ids
    },
    hasRuns: async (status, count) =>
      (await database.query('select from runs where status = $1', [status])).length === count,
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
