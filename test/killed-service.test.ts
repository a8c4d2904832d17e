import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createWorkflow } from '../rig/api.ts'
import { connectTo } from '../rig/bench-database.ts'
import { findFlaws, waitForCompleted } from '../rig/completed.ts'
import { adminKey, startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { startScriptedServer } from '../rig/scripted-server.ts'
import { callApi, complete } from './test-app.ts'
import { benchModels, writeModelsFile } from '../rig/models-file.ts'

const runs = 20

/** At full size, and with the database killed as well: `recovery.slow.test.ts`. */
it('after kill -9 another process completes every run in progress, no step twice', async () => {
  await using folder = await makeScratchFolder()
  await using testDatabase = await createTestDatabase()
  let isSilent = true
  await using models = await startScriptedServer((response) => {
    if (!isSilent) complete(response, 'done')
  })
  const modelsFile = await writeModelsFile(folder.path, benchModels(models.url))
  const env = { DATABASE_URL: testDatabase.url, MUSTER_MODELS_FILE: modelsFile }
  await using first = await startMuster({ folder: folder.path, env })
  const workflowId = await createWorkflow(first.url)
  const path = `/v1/workflows/${workflowId}/runs`
  const trigger = () => callApi(first.url, adminKey, 'POST', path, { body: { input: 'go' } })
  await Promise.all(Array.from({ length: runs }, trigger))
  await models.until(() => models.requests.length === runs)
  await first.kill()

  isSilent = false
  await using _second = await startMuster({ folder: folder.path, env })
  await using database = await connectTo(testDatabase.url)
  await waitForCompleted(database, runs, 30_000)
  assert.deepEqual(await findFlaws(database), [])
  assert.equal(
    models.requests.length,
    3 * runs,
    'each step was asked for once, the first ones again',
  )
})
