import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createWorkflow } from '../rig/api.ts'
import { findFlaws, waitForCompleted } from '../rig/completed.ts'
import { until } from '../rig/until.ts'
import { hasRuns, setWorkerStage } from './worker-stage.ts'

/** Preloaded: the event loop stands still for 1.5 s, again and again, as in a long computation. */
const stalls = `data:text/javascript,${encodeURIComponent(`
  setInterval(() => {
    const end = performance.now() + 1500
    while (performance.now() < end);
  }, 3000).unref()`)}`

describe('the lease of a run, as long as it is by default', () => {
  it('stays with a worker at full load whose event loop stalls in bursts', async () => {
    await using stage = await setWorkerStage(1_000)
    const { api, model, load, database } = stage
    const runs = 1_500
    await using _one = await stage.startWorker(250, ['--import', stalls])
    await using _other = await stage.startWorker(250, ['--import', stalls])
    const workflowId = await createWorkflow(api.url)
    await load.trigger({ url: api.url, modelUrl: model.url, workflowId, count: runs })
    await waitForCompleted(database, runs, 120_000)
    assert.deepEqual(await findFlaws(database), [])
    const taken = await database.query(
      'select attempt as times, count(*)::int as runs from runs group by attempt',
    )
    assert.deepEqual(taken, [{ times: 1, runs }], 'no run was taken over')
  })

  it('goes to another worker within 5 s of a kill', async () => {
    await using stage = await setWorkerStage(120_000)
    const { api, model, load, database } = stage
    const runs = 100
    await using worker = await stage.startWorker(runs)
    const workflowId = await createWorkflow(api.url)
    await load.trigger({ url: api.url, modelUrl: model.url, workflowId, count: runs })
    await until('all runs are in progress', 20_000, () => hasRuns(database, 'running', runs))
    await using _other = await stage.startWorker(runs)
    model.setLatency(0)
    await worker.kill()
    await until('all runs were taken again', 5_000, async () => {
      const rows = await database.query('select from runs where attempt = 1 limit 1')
      return rows.length === 0
    })
    await waitForCompleted(database, runs, 20_000)
    assert.deepEqual(await findFlaws(database), [])
  })
})
