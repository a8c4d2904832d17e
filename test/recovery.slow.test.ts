import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createWorkflow } from '../rig/api.ts'
import { connectToEmbedded, postmasterPid } from '../rig/bench-database.ts'
import { findFlaws, waitForCompleted } from '../rig/completed.ts'
import { startLoadProcess } from '../rig/load-process.ts'
import { startModelProcess } from '../rig/model-process.ts'
import { startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'

const runs = 200
/** The promise is 20 s; the rest is for a machine that runs other tests as well. */
const patienceMs = 30_000

describe('after kill -9 and a restart on the same data folder', { concurrency: true }, () => {
  for (const databaseDies of [false, true]) {
    const what = databaseDies ? 'of the service and its database' : 'of the service alone'
    it(`${what}, every run in progress completes and no step is recorded twice`, async () => {
      await using folder = await makeScratchFolder()
      await using model = await startModelProcess(300)
      await using load = await startLoadProcess()
      const env = {
        MUSTER_DATA_DIR: folder.dataDir,
        MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
        MUSTER_ACCOUNT_CONCURRENCY: '500',
      }
      await using first = await startMuster({ folder: folder.path, env })
      const workflowId = await createWorkflow(first.url)
      await load.trigger({ url: first.url, modelUrl: model.url, workflowId, count: runs })
      await delay(300 * Math.random())
      const postmaster = await postmasterPid(folder.dataDir)
      await first.kill()
      if (databaseDies) process.kill(postmaster, 'SIGKILL')

      await using _second = await startMuster({ folder: folder.path, env })
      await using database = await connectToEmbedded(folder.dataDir)
      const isSame = (await postmasterPid(folder.dataDir)) === postmaster
      assert.equal(isSame, !databaseDies, 'the database was to live on, or to be started again')
      await waitForCompleted(database, runs, patienceMs)
      assert.deepEqual(await findFlaws(database), [])
      const calls = await model.takeCalls()
      assert.ok(calls.length > 2 * runs, 'the kill was to cut model calls off')
    })
  }
})
