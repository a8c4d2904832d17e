import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { until, untilFound } from '../rig/until.ts'
import { makeAccounts } from '../rig/accounts.ts'
import { findFlaws } from '../rig/completed.ts'
import { percentile } from '../rig/measure.ts'
import { crewOfTwo, openScriptedStage } from './scripted-stage.ts'
import { clientOf } from './api-client.ts'
import { complete } from './test-app.ts'

const items = 10_000
const kills = 3

/**
 * `server/sources/batches/batches.test.ts` has a small batch, a crash between a run and its record, and all
 * formats of items.
 */
it(`${items} items with ${kills} kill -9: each item is exactly one run`, async (t) => {
  await using stage = await openScriptedStage({
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
    const enough = async () => (await done()) >= (kill * items) / (kills + 1)
    await until('a part of the batch is done', 600_000, enough)
    await process.kill()
    process = await stage.start('all')
  }
  const batch = await untilFound('the batch has ended', 600_000, async () => {
    const now = await stage.get(`/v1/batches/${id}`)
    return now.finished_at === null ? undefined : now
  })
  assert.deepEqual([batch.completed, batch.failed, batch.cancelled], [items, 0, 0])
  const [count] = await stage.database.query<{ runs: number; inputs: number }>(
    'select count(*)::int as runs, count(distinct input)::int as inputs from runs',
  )
  assert.deepEqual(count, { runs: items, inputs: items })
  assert.deepEqual(await findFlaws(stage.database), [])
  t.diagnostic(`cost of the batch: ${batch.cost_usd} USD`)
})

it(`runs of another account go on beside a batch of ${items} items`, async (t) => {
  await using stage = await openScriptedStage({
    answer: (response) => complete(response, 'done', 10, 7),
    env: { MUSTER_ACCOUNT_CONCURRENCY: '50' },
  })
  const process = await stage.start('all')
  const [other] = await makeAccounts(stage.databaseUrl, 1)
  const client = clientOf(() => process.url, other?.adminKey ?? '')
  const workflow = await client.createWorkflow(crewOfTwo)
  const body = { items: Array.from({ length: items }, (_, n) => ({ input: `#${n}` })) }
  const batches = `/v1/workflows/${await stage.createWorkflow(crewOfTwo)}/batches`
  const { id } = await stage.post(batches, { ...body, concurrency: 200 })
  const tookMs: number[] = []
  const runs: string[] = []
  while ((await stage.get(`/v1/batches/${id}`)).finished_at === null) {
    const beganAt = performance.now()
    runs.push(await client.trigger(workflow, { input: 'x' }))
    tookMs.push(performance.now() - beganAt)
    await setTimeout(50)
  }
  const shown = [0.5, 0.99, 1].map((share) => `${Math.round(percentile(tookMs, share))} ms`)
  t.diagnostic(
    `${runs.length} triggers: p50, p99, longest ${shown.join(', ')}; load of the machine ${loadavg()[0]?.toFixed(1)}`,
  )
  for (const run of runs) assert.equal((await client.rest(run)).status, 'completed')
})
