import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { MusterProcess } from '../rig/muster-process.ts'
import { until } from '../rig/until.ts'
import { openScriptedStage, type ScriptedStage } from './scripted-stage.ts'
import { complete } from './test-app.ts'

const crew = ['a', 'b', 'c'].map((role) => ({ role, systemPrompt: role }))

const openStage = (
  onCall: (prompt: string) => void = () => {},
  callMs = () => 300,
): Promise<ScriptedStage> =>
  openScriptedStage({
    answer: (response, { body }) => {
      onCall(body)
      setTimeout(() => complete(response, 'done'), callMs()).unref()
    },
  })

async function trigger(stage: ScriptedStage, inputs: string[]): Promise<void> {
  const workflowId = await stage.createWorkflow({ model: 'bench', crew })
  await Promise.all(inputs.map((input) => stage.trigger(workflowId, input)))
}

it('200 runs are completed within seconds after three kills in a row', async () => {
  await using stage = await openStage()
  let muster = await stage.start('all')
  await trigger(stage, Array<string>(200).fill('go'))
  for (let kill = 0; kill < 3; kill++) {
    await delay(300)
    await muster.kill()
    muster = await stage.start('all')
  }
  await stage.allComplete(200, 60_000)
})

it('five runs with long calls outlive five kills', async () => {
  let callMs = 45_000
  await using stage = await openStage(undefined, () => callMs)
  let muster = await stage.start('all')
  await trigger(stage, ['1', '2', '3', '4', '5'])
  for (let kill = 0; kill < 5; kill++) {
    await delay(2_500)
    await muster.kill()
    if (kill === 4) callMs = 300
    muster = await stage.start('all')
  }
  await stage.allComplete(5, 60_000)
})

it('a run that kills its process at once fails, and no other', async () => {
  const runs = 60
  let muster: MusterProcess | undefined
  await using stage = await openStage((prompt) => {
    if (prompt.includes('poison')) void muster?.kill()
  })
  muster = await stage.start('all')
  const inputs = Array.from({ length: runs }, (_, number) => (number === 20 ? 'poison' : 'go'))
  await trigger(stage, inputs).catch(() => {})
  let crashes = 0
  await until('all have ended', 240_000, async () => {
    const [left] = await stage.database.query('select 1 from runs where finished_at is null')
    if (left === undefined) return true
    await Promise.race([muster?.exited, delay(200)])
    const isDead = await Promise.race([muster?.exited.then(() => true), delay(0, false)])
    if (isDead === true) {
      crashes++
      muster = await stage.start('all')
    }
    return false
  })
  const ends = await stage.database.query<{ status: string; input: string }>(
    `select status, input from runs where status <> 'completed'`,
  )
  assert.deepEqual(ends, [{ status: 'failed', input: 'poison' }])
  assert.ok(crashes <= Math.log2(runs) + 3, `${crashes} crashes`)
})
