import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { findFlaws } from '../rig/completed.ts'
import { crewOfTwo, setScriptedStage } from './scripted-stage.ts'
import { complete } from './test-app.ts'

const items = 10_000
const kills = 3

/** A small batch, a crash between a run and its record, and all forms of items: `server/batches/batches.test.ts`. */
it(`${items} items with ${kills} kill -9: each item is exactly one run`, async (t) => {
  await using stage = await setScriptedStage({
    answer: (response) => complete(response, 'done', 10, 7),
    env: { MUSTER_LEASE_SECONDS: '1' },
  })
  let process = await stage.start('all')
  const workflow = await stage.createWorkflow(crewOfTwo)
  const body = {
    items: Array.from({ length: items }, (_, n) => ({ key: `k${n}`, input: `#${n}` })),
  }
  const { id } = await stage.post(`/v1/workflows/${workflow}/batches`, {
    ...body,
    concurrency: 200,
  })

  const done = async (): Promise<number> => (await stage.get(`/v1/batches/${id}`)).completed
  for (let kill = 1; kill <= kills; kill++) {
    while ((await done()) < (kill * items) / (kills + 1)) await setTimeout(50)
    await process.kill()
    process = await stage.start('all')
  }
  while ((await stage.get(`/v1/batches/${id}`)).finished_at === null) await setTimeout(100)
  const batch = await stage.get(`/v1/batches/${id}`)
  assert.deepEqual([batch.completed, batch.failed, batch.cancelled], [items, 0, 0])
  const [count] = await stage.database.query<{ runs: number; inputs: number }>(
    'select count(*)::int as runs, count(distinct input)::int as inputs from runs',
  )
  assert.deepEqual(count, { runs: items, inputs: items })
  assert.deepEqual(await findFlaws(stage.database), [])
  t.diagnostic(`cost of the batch: ${batch.cost_usd} USD`)
})
