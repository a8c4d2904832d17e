import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createWorkflow } from '../rig/api.ts'
import { connectTo, type BenchDatabase } from '../rig/bench-database.ts'
import { findFlaws, waitForCompleted } from '../rig/completed.ts'
import { startLoadProcess, type LoadProcess } from '../rig/load-process.ts'
import { startModelProcess, type ModelProcess } from '../rig/model-process.ts'
import { startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { createTestDatabase } from '../server/db/test-database.ts'

describe('several processes over one PostgreSQL', { concurrency: true }, () => {
  it('two workers share the runs, and one finishes those of the other after kill -9', async () => {
    await using stage = await setStage(300)
    const { api, model, load, database } = stage
    const runs = 200
    // Neither worker can take all runs.
    await using worker = await stage.startWorker(120)
    await using other = await stage.startWorker(120)
    const workflowId = await createWorkflow(api.url)
    await load.trigger({ url: api.url, modelUrl: model.url, workflowId, count: runs })
    await until('both workers ended runs', 20_000, async () => {
      return (await endedRuns(worker)) > 0 && (await endedRuns(other)) > 0
    })
    await worker.kill()

    await waitForCompleted(database, runs, 30_000)
    assert.deepEqual(await findFlaws(database), [])
    assert.ok((await endedRuns(worker)) + (await endedRuns(other)) <= runs, 'a run ended twice')
  })

  it('a worker that is stopped ends the steps in progress, hands the runs over and takes no more', async () => {
    await using stage = await setStage(1_500)
    const { api, model, load, database } = stage
    const runs = 100
    await using worker = await stage.startWorker(50)
    const workflowId = await createWorkflow(api.url)
    await load.trigger({ url: api.url, modelUrl: model.url, workflowId, count: runs })
    await until('50 runs are in progress', 20_000, () => hasRuns(database, 'running', 50))
    await worker.stop()

    const left = await database.query(
      'select status, total_steps, count(*)::int as count from runs group by 1, 2 order by 1',
    )
    assert.deepEqual(left, [
      { status: 'queued', total_steps: 0, count: 50 },
      { status: 'running', total_steps: 1, count: 50 },
    ])
    await using _other = await stage.startWorker(50)
    await waitForCompleted(database, runs, 20_000)
    assert.deepEqual(await findFlaws(database), [])
  })

  it('runs that a stopping worker cannot finish go to another one at once', async () => {
    await using stage = await setStage(120_000)
    const { api, model, load, database } = stage
    const runs = 50
    await using worker = await stage.startWorker(100)
    const workflowId = await createWorkflow(api.url)
    await load.trigger({ url: api.url, modelUrl: model.url, workflowId, count: runs })
    await until('all runs are in progress', 20_000, () => hasRuns(database, 'running', runs))
    await using _other = await stage.startWorker(100)
    model.setLatency(100)
    // It gives its steps 20 s.
    await worker.stop()

    // Well before the 10 s after which the jobs of a dead worker would be free.
    await waitForCompleted(database, runs, 5_000)
    assert.deepEqual(await findFlaws(database), [])
  })
})

interface Stage extends AsyncDisposable {
  api: MusterProcess
  model: ModelProcess
  load: LoadProcess
  database: BenchDatabase
  startWorker(concurrency: number): Promise<MusterProcess>
}

async function setStage(latencyMs: number): Promise<Stage> {
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
    startWorker: (concurrency) => {
      const workerEnv = { ...env, MUSTER_RUN_CONCURRENCY: String(concurrency) }
      return startMuster({ role: 'worker', folder, env: workerEnv })
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function endedRuns(worker: MusterProcess): Promise<number> {
  return (await worker.readLog()).split('"msg":"run ended"').length - 1
}

async function hasRuns(database: BenchDatabase, status: string, count: number): Promise<boolean> {
  const rows = await database.query<{ count: number }>(
    'select count(*)::int as count from runs where status = $1',
    [status],
  )
  return rows[0]?.count === count
}
