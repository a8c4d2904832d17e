import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findFlaws } from '../rig/completed.ts'
import type { MusterProcess } from '../rig/muster-process.ts'
import { until } from '../rig/until.ts'
import { crewOfTwo, openScriptedStage, type ScriptedStage } from './scripted-stage.ts'
import { complete } from './test-app.ts'

const patienceMs = 60_000

/** Runs triggered through an API process, with a model whose latency is in `slow`. */
async function openStage(slow: { ms: number }): Promise<ScriptedStage> {
  const stage = await openScriptedStage({
    answer: (response) => void setTimeout(() => complete(response, 'done'), slow.ms).unref(),
  })
  await stage.start('api')
  return stage
}
const limit = (runs: number) => ({ env: { MUSTER_RUN_CONCURRENCY: String(runs) } })
const endedRuns = async (worker: MusterProcess): Promise<number> =>
  (await worker.readLog()).split('"msg":"run ended"').length - 1

describe('several processes over one PostgreSQL', { concurrency: true }, () => {
  it('two workers share the runs, and one finishes those of the other after kill -9', async () => {
    await using stage = await openStage({ ms: 300 })
    const runs = 200
    // Neither worker can take all runs.
    const worker = await stage.start('worker', limit(120))
    const other = await stage.start('worker', limit(120))
    await stage.triggerAll(await stage.createWorkflow(crewOfTwo), runs)
    await until('both workers ended runs', patienceMs, async () => {
      return (await endedRuns(worker)) > 0 && (await endedRuns(other)) > 0
    })
    await worker.kill()
    await stage.allComplete(runs, patienceMs)
    assert.deepEqual(await findFlaws(stage.database), [])
    assert.ok((await endedRuns(worker)) + (await endedRuns(other)) <= runs, 'a run ended twice')
  })

  it('a worker that is stopped ends the steps in progress, hands the runs over and takes no more', async () => {
    await using stage = await openStage({ ms: 1_500 })
    const runs = 100
    const worker = await stage.start('worker', limit(50))
    await stage.triggerAll(await stage.createWorkflow(crewOfTwo), runs)
    await until('50 runs are in progress', patienceMs, () => stage.hasRuns('running', 50))
    await worker.stop()

    const left = await stage.database.query(
      'select status, total_steps, count(*)::int as count from runs group by 1, 2 order by 1',
    )
    assert.deepEqual(left, [
      { status: 'queued', total_steps: 0, count: 50 },
      { status: 'running', total_steps: 1, count: 50 },
    ])
    await stage.start('worker', limit(50))
    await stage.allComplete(runs, patienceMs)
    assert.deepEqual(await findFlaws(stage.database), [])
  })

  it('runs that a stopping worker cannot finish are handed to another one, not left to expire', async () => {
    const slow = { ms: 120_000 }
    await using stage = await openStage(slow)
    const runs = 50
    const worker = await stage.start('worker', limit(100))
    await stage.triggerAll(await stage.createWorkflow(crewOfTwo), runs)
    await until('all runs are in progress', patienceMs, () => stage.hasRuns('running', runs))
    await stage.start('worker', limit(100))
    slow.ms = 100
    // Its steps have 20 s to end.
    await worker.stop()
    await stage.allComplete(runs, patienceMs)
    assert.deepEqual(await findFlaws(stage.database), [])
    const expired = await stage.database.query('select from runs where takes_without_progress > 0')
    assert.equal(expired.length, 0, 'no lease has expired')
  })
})
