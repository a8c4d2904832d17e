import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../rig/until.ts'
import { send } from '../../rig/scripted-server.ts'
import { earlier } from '../../test/earlier.ts'
import { echo, startTestApp, type TestApp } from '../../test/test-app.ts'

async function trigger(app: TestApp): Promise<string> {
  const crew = [{ role: 'r', systemPrompt: 's' }]
  const { id } = await app.post('/v1/workflows', { name: 'w', crew })
  return await app.trigger(id, 'hold')
}
const read = async (app: TestApp, id: string) => await app.get(`/v1/runs/${id}`)
const age = (app: TestApp, id: string) =>
  sql`update jobs set ready_at = ${earlier('ready_at', '3 s')} where run_id = ${id}`.execute(
    app.database,
  )

it('a run that no worker takes says so after a moment, and not once it has ended', async () => {
  await using app = await startTestApp({ role: 'api' })
  const id = await trigger(app)
  assert.equal((await read(app, id)).held, null)
  await age(app, id)
  const { held } = await read(app, id)
  assert.equal(held.reason, 'no_worker')
  assert.match(held.message, /No worker is online/)
  assert.deepEqual([typeof held.since, held.next_try_at], ['string', null])
  await app.call('POST', `/v1/runs/${id}/cancel`)
  assert.equal((await read(app, id)).held, null)
})

it('a run behind others of its account says so', async () => {
  const underWay: (() => void)[] = []
  await using app = await startTestApp({
    env: { MUSTER_ACCOUNT_CONCURRENCY: '1' },
    answer: (request, response) => void underWay.push(() => echo(request, response)),
  })
  await trigger(app)
  await app.models.until(() => app.models.active > 0)
  const id = await trigger(app)
  await age(app, id)
  const { held } = await read(app, id)
  assert.equal(held.reason, 'account_at_limit')
  assert.match(held.message, /limit of concurrent runs \(1\)/)
  await app.call('POST', `/v1/runs/${id}/cancel`)
  for (const answer of underWay) answer()
})

it('a run whose model call is to be repeated later says when', async () => {
  let isDown = true
  await using app = await startTestApp({
    answer: (request, response) => {
      if (!isDown) return echo(request, response)
      response.setHeader('retry-after', '60')
      send(response, { error: { message: 'overloaded' } }, 503)
    },
  })
  const id = await trigger(app)
  await until('it is put off', 20_000, async () => (await read(app, id)).held !== null)
  isDown = false
  const { held, status } = await read(app, id)
  assert.deepEqual([held.reason, status], ['provider_unavailable', 'running'])
  assert.ok(Date.parse(held.next_try_at) > Date.now() + 20_000, held.next_try_at)
  assert.ok(Math.abs(Date.parse(held.since) - Date.now()) < 20_000, held.since)
})

it('a run whose workers fell over is not held against its provider', async () => {
  await using app = await startTestApp({ role: 'api' })
  const id = await trigger(app)
  await app.sql`update runs set takes_without_progress = 3 where id = ${id}`
  await app.sql`update jobs set ready_at = now() + interval '10 s'`
  const { held } = await read(app, id)
  assert.equal(held.reason, 'no_worker')
  assert.match(held.message, /stopped 3 times while the run was in progress/)
  assert.notEqual(held.next_try_at, null)
})
