import assert from 'node:assert/strict'
import { it } from 'node:test'
import { findFlaws } from '../rig/completed.ts'
import { crewOfTwo, openScriptedStage } from './scripted-stage.ts'
import { complete } from './test-app.ts'

/** Preloaded: blocks the event loop for 1.5 s, again and again, like a long computation. */
const stalls = `data:text/javascript,${encodeURIComponent(`
  setInterval(() => {
    const end = performance.now() + 1500
    while (performance.now() < end);
  }, 3000).unref()`)}`

it('a lease of the default length stays with a worker at full load whose event loop stalls', async () => {
  await using stage = await openScriptedStage({
    answer: (response) => void setTimeout(() => complete(response, 'done'), 1_000),
    env: { MUSTER_RUN_CONCURRENCY: '250' },
  })
  await stage.start('api')
  for (let n = 0; n < 2; n++) await stage.start('worker', { nodeArgs: ['--import', stalls] })
  const runs = 600
  await stage.triggerAll(await stage.createWorkflow(crewOfTwo), runs)
  await stage.allComplete(runs, 240_000)
  assert.deepEqual(await findFlaws(stage.database), [])
  const taken = await stage.database.query(
    'select attempt as times, count(*)::int as runs from runs group by attempt',
  )
  assert.deepEqual(taken, [{ times: 1, runs }], 'no run was taken over')
})
