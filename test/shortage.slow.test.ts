import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crewOfTwo, openScriptedStage, type ScriptedStage } from './scripted-stage.ts'
import { complete } from './test-app.ts'

async function trigger(stage: ScriptedStage, count: number, input: string): Promise<void> {
  await stage.start('api')
  const workflowId = await stage.createWorkflow(crewOfTwo)
  for (let number = 0; number < count; number++) await stage.trigger(workflowId, input)
}

describe('what a worker lacks itself', () => {
  it('files and sockets: has as many runs in progress as they allow, and goes on', async () => {
    await using stage = await openScriptedStage({
      answer: (response) => void setTimeout(() => complete(response, 'done'), 2_500),
      env: { MUSTER_RUN_CONCURRENCY: '500' },
    })
    await trigger(stage, 150, 'x')
    const worker = await stage.start('worker', { openFiles: 128 })
    await stage.allComplete(150, 60_000)
    assert.ok(stage.models.peak > 20 && stage.models.peak < 64, String(stage.models.peak))
    const log = await worker.readLog()
    assert.equal(log.match(/limit of open files/g)?.length, 1)
    assert.doesNotMatch(log, /EMFILE/)
  })
})

/** Input and output of each step, nearly as large as allowed. */
const largeInput = 'What the crew shall read, at some length. '.repeat(380)
const largeOutput = 'What the model has to say about it, at length. '.repeat(4_500)

describe('a worker with a heap that holds few runs with large texts', () => {
  it('carries as many at once as it holds: it does not die of them, and none fails', async (t) => {
    const [runs, concurrency] = [100, 100]
    await using stage = await openScriptedStage({
      answer: (response) => void setTimeout(() => complete(response, largeOutput), 300),
      env: { MUSTER_RUN_CONCURRENCY: String(concurrency) },
    })
    await trigger(stage, runs, largeInput)
    // A worker needs at least about 60 MB.
    const nodeArgs = ['--max-semi-space-size=2', '--max-old-space-size=96']
    const worker = await stage.start('worker', { nodeArgs })
    const died = worker.exited.then(() => assert.fail('the worker died'))
    await Promise.race([stage.allComplete(runs, 120_000), died])
    t.diagnostic(`at most ${stage.models.peak} calls at once`)
    assert.ok(stage.models.peak > 1 && stage.models.peak < concurrency / 2)
    const [crashes] = await stage.database.query<{ most: number }>(
      'select max(takes_without_progress) as most from runs',
    )
    assert.ok((crashes?.most ?? 9) <= 1)
    // It ends with the stage.
    died.catch(() => {})
  })
})
