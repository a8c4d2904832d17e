import assert from 'node:assert/strict'
import { it } from 'node:test'
import { findFlaws } from '../rig/completed.ts'
import { crewOfTwo, openScriptedStage } from './scripted-stage.ts'
import { complete } from './test-app.ts'

const runs = 20

/** At full size, and with the database killed as well: `recovery.slow.test.ts`. */
it('after kill -9 another process completes every run in progress, no step twice', async () => {
  let isSilent = true
  await using stage = await openScriptedStage({
    answer: (response) => {
      if (!isSilent) complete(response, 'done')
    },
    env: { MUSTER_LEASE_SECONDS: '1' },
  })
  const first = await stage.start('all')
  await stage.triggerAll(await stage.createWorkflow(crewOfTwo), runs)
  await stage.models.until(() => stage.models.requests.length === runs)
  await first.kill()

  isSilent = false
  await stage.start('all')
  await stage.allComplete(runs, 60_000)
  assert.deepEqual(await findFlaws(stage.database), [])
  const { length } = stage.models.requests
  assert.equal(length, 3 * runs, 'each step was asked for once, the first ones again')
})
