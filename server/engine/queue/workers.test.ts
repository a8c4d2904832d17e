import assert from 'node:assert/strict'
import { it } from 'node:test'
import { until } from '../../../rig/until.ts'
import { startTestApp } from '../../../test/test-app.ts'

it('GET /v1/workers counts the processes that carry runs, until they stop or are silent', async () => {
  await using app = await startTestApp({ role: 'api' })
  const read = async () => await app.get('/v1/workers')
  assert.deepEqual(await read(), { alive: 0, last_seen_at: null })
  await using _all = await app.startAnother('all')
  {
    await using _worker = await app.startAnother('worker')
    await until('both are counted', 20_000, async () => (await read()).alive === 2)
  }
  assert.equal((await read()).alive, 1)
  // The worker may announce itself again at any moment.
  await until('it is not counted when it is silent', 20_000, async () => {
    await app.sql`update workers set seen_at = now() - interval '20 seconds'`
    return (await read()).alive === 0
  })
})
