import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createWorkflow } from '../rig/api.ts'
import { findFlaws, waitForCompleted } from '../rig/completed.ts'
import type { MusterProcess } from '../rig/muster-process.ts'
import { until } from '../rig/until.ts'
import { hasRuns, setWorkerStage } from './worker-stage.ts'

describe('several processes over one PostgreSQL', { concurrency: true }, () => {
  it('two workers share the runs, and one finishes those of the other after kill -9', async () => {
    await using stage = await setWorkerStage(300)
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
    await using stage = await setWorkerStage(1_500)
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
    await using stage = await setWorkerStage(120_000)
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

async function endedRuns(worker: MusterProcess): Promise<number> {
  return (await worker.readLog()).split('"msg":"run ended"').length - 1
}
