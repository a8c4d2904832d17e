import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connectTo } from '../rig/bench-database.ts'
import { waitForCompleted } from '../rig/completed.ts'
import { benchModels, writeModelsFile } from '../rig/models-file.ts'
import { adminKey, startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { startScriptedServer } from '../rig/scripted-server.ts'
import { until } from '../rig/until.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { callApi, complete } from './test-app.ts'

const crew = ['a', 'b', 'c'].map((role) => ({ role, systemPrompt: role }))

async function startWorld(onCall: (prompt: string) => void = () => {}, callMs = () => 300) {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await makeScratchFolder())
  const testDatabase = stack.use(await createTestDatabase())
  const models = stack.use(
    await startScriptedServer((response, call) => {
      onCall(models.requests[call - 1]?.body ?? '')
      setTimeout(() => complete(response, 'done'), callMs()).unref()
    }),
  )
  const env = {
    DATABASE_URL: testDatabase.url,
    MUSTER_MODELS_FILE: await writeModelsFile(folder.path, benchModels(models.url)),
    MUSTER_ACCOUNT_CONCURRENCY: '500',
  }
  const database = stack.use(await connectTo(testDatabase.url))
  const all = stack.move()
  return {
    database,
    start: () => startMuster({ folder: folder.path, env }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function trigger(muster: MusterProcess, inputs: string[]): Promise<void> {
  const { body } = await callApi(muster.url, adminKey, 'POST', '/v1/workflows', {
    body: { name: 'Three steps', model: 'bench', crew },
  })
  const path = `/v1/workflows/${body.data.id}/runs`
  await Promise.all(
    inputs.map((input) => callApi(muster.url, adminKey, 'POST', path, { body: { input } })),
  )
}

it('200 runs are completed within seconds after three kills in a row', async () => {
  await using world = await startWorld()
  let muster = await world.start()
  await trigger(
    muster,
    Array.from({ length: 200 }, () => 'go'),
  )
  for (let kill = 0; kill < 3; kill++) {
    await delay(300)
    await muster.kill()
    muster = await world.start()
  }
  await waitForCompleted(world.database, 200, 30_000)
  await muster.stop()
})

it('five runs with long calls outlive five kills', async () => {
  let callMs = 45_000
  await using world = await startWorld(undefined, () => callMs)
  let muster = await world.start()
  await trigger(muster, ['1', '2', '3', '4', '5'])
  for (let kill = 0; kill < 5; kill++) {
    await delay(2_500)
    await muster.kill()
    if (kill === 4) callMs = 300
    muster = await world.start()
  }
  await waitForCompleted(world.database, 5, 30_000)
  await muster.stop()
})

it('a run that kills its process at once fails, and no other', async () => {
  const runs = 60
  let muster: MusterProcess | undefined
  await using world = await startWorld((prompt) => {
    if (prompt.includes('poison')) void muster?.kill()
  })
  muster = await world.start()
  const inputs = Array.from({ length: runs }, (_, number) => (number === 20 ? 'poison' : 'go'))
  await trigger(muster, inputs).catch(() => {})
  let crashes = 0
  await until('all have ended', 240_000, async () => {
    const [left] = await world.database.query('select 1 from runs where finished_at is null')
    if (left === undefined) return true
    await Promise.race([muster?.exited, delay(200)])
    const isDead = await Promise.race([muster?.exited.then(() => true), delay(0, false)])
    if (isDead === true) {
      crashes++
      muster = await world.start()
    }
    return false
  })
  const ends = await world.database.query<{ status: string; input: string }>(
    `select status, input from runs where status <> 'completed'`,
  )
  assert.deepEqual(ends, [{ status: 'failed', input: 'poison' }])
  assert.ok(crashes <= Math.log2(runs) + 3, `${crashes} crashes`)
  await muster.stop()
})
