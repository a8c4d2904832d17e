import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { it } from 'node:test'
import { createWorkflow } from '../rig/api.ts'
import { connectTo } from '../rig/bench-database.ts'
import { waitForCompleted } from '../rig/completed.ts'
import { adminKey, startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { startScriptedServer } from '../rig/scripted-server.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { callApi, complete } from './test-app.ts'
import { benchModels, writeModelsFile } from '../rig/models-file.ts'

/** Twelve seconds, as whoever breaks it by hand would take. */
const betweenKillsMs = 12_000

it('runs that only wait for a model outlive five kills in a minute', async () => {
  await using folder = await makeScratchFolder()
  await using testDatabase = await createTestDatabase()
  let isSilent = true
  await using models = await startScriptedServer((response) => {
    if (!isSilent) complete(response, 'done')
  })
  const modelsFile = await writeModelsFile(folder.path, benchModels(models.url))
  const env = { DATABASE_URL: testDatabase.url, MUSTER_MODELS_FILE: modelsFile }
  let muster = await startMuster({ folder: folder.path, env })
  const path = `/v1/workflows/${await createWorkflow(muster.url)}/runs`
  const trigger = () => callApi(muster.url, adminKey, 'POST', path, { body: { input: 'go' } })
  await Promise.all(Array.from({ length: 5 }, trigger))
  for (let kill = 0; kill < 5; kill++) {
    await delay(betweenKillsMs)
    await muster.kill()
    muster = await startMuster({ folder: folder.path, env })
  }
  isSilent = false
  await muster.kill()
  await using _last = await startMuster({ folder: folder.path, env })
  await using database = await connectTo(testDatabase.url)
  await waitForCompleted(database, 5, 120_000)
  const [found] = await database.query<{ most: number }>(
    'select max(takes_alone) as most from runs',
  )
  assert.ok((found?.most ?? 9) < 4)
})
