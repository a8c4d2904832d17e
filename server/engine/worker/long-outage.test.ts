import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { send } from '../../../rig/scripted-server.ts'
import { until } from '../../../rig/until.ts'
import { earlier } from '../../../test/earlier.ts'
import { echo, startTestApp, type TestApp } from '../../../test/test-app.ts'

const limits = { max_run_seconds: 30 }
const stepSeconds = 20

/** Waits until no run is running, then advances time for the database and the breakers. */
async function pass(app: TestApp, seconds: number): Promise<void> {
  await until('no run is at work', 30_000, async () => {
    const { rows } =
      await sql`select from jobs where worker is not null or ready_at <= now()`.execute(
        app.database,
      )
    return rows.length === 0
  })
  const put = (column: string) => sql`${sql.ref(column)} = ${earlier(column, `${seconds} s`)}`
  await app.database.transaction().execute(async (transaction) => {
    await sql`update runs set ${put('started_at')}, ${put('counted_to')}, ${put('held_since')} where status in ('queued', 'running')`.execute(
      transaction,
    )
    await sql`update events set ${put('created_at')}`.execute(transaction)
    await sql`update jobs set ${put('ready_at')}`.execute(transaction)
    passedMs += seconds * 1_000
    await sql`select pg_notify('muster_jobs', 'test')`.execute(transaction)
  })
}

let passedMs = 0

it('ten minutes without a provider fail no run, use up no time, and are passed over with a fallback', async () => {
  let isDown = false
  const went = { first: 0, spare: 0 }
  await using app = await startTestApp({
    outageClock: { nowMs: () => performance.now() + passedMs, random: Math.random },
    answer: (request, response) => {
      const isSpare = request.model === 'spare/one'
      went[isSpare ? 'spare' : 'first'] += 1
      if (isDown && !isSpare) send(response, { error: { message: 'away' } }, 503)
      else echo(request, response)
    },
    prepareModels: (file) => {
      const [provider] = file.providers as { base_url: string }[]
      file.providers.push({ id: 'spare', base_url: provider?.base_url })
      file.models.push({ id: 'spare/one', provider: 'spare' })
    },
  })
  const create = async (fields: object): Promise<string> => {
    const crew = [{ role: 'a', systemPrompt: 'a' }]
    const { body } = await app.call('POST', '/v1/workflows', {
      body: { name: 'w', crew, limits, ...fields },
    })
    return body.data.id
  }
  const [alone, withSpare] = [await create({}), await create({ fallbacks: ['spare/one'] })]
  const ids: string[] = []
  const trigger = async (workflow: string, query = ''): Promise<string> => {
    const path = `/v1/workflows/${workflow}/runs`
    const id: string = (await app.call('POST', path, { body: { input: 'x' } })).body.data.id
    ids.push(id)
    if (query === '') return id
    const { body } = await app.call('GET', `/v1/runs/${id}${query}`)
    assert.equal(body.data.status, 'completed', body.data.error)
    return body.data.steps[0].model
  }
  const count = async (where: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from runs where ${sql.raw(where)}`.execute(app.database)
    return rows[0]?.count ?? 0
  }

  for (let n = 0; n < 30; n += 1) await trigger(alone, '?wait=20')
  isDown = true
  const before = went.first
  await Promise.all(Array.from({ length: 6 }, () => trigger(alone)))
  for (let passed = 0; passed < 600; passed += stepSeconds) {
    await trigger(alone)
    if (passed % 120 === 60) assert.equal(await trigger(withSpare, '?wait=20'), 'spare/one')
    await pass(app, stepSeconds)
  }
  assert.equal(await count(`status = 'failed'`), 0)
  const held = await count(`held ->> 'reason' = 'provider_unavailable' and status <> 'completed'`)
  assert.equal(held, 6 + 600 / stepSeconds)
  assert.equal(
    (await count(`held_since < now() - interval '9 minutes' and status = 'running'`)) > 0,
    true,
  )
  assert.ok(went.first - before < 100, `${went.first - before} calls while it was away`)

  isDown = false
  await until('all runs are completed', 60_000, async () => {
    assert.equal(await count(`status = 'failed'`), 0)
    if ((await count(`status = 'completed'`)) === ids.length) return true
    await pass(app, stepSeconds)
    return false
  })
  assert.equal(went.spare, 5)
})
