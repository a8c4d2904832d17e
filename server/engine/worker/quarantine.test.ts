import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../../rig/until.ts'
import { echo, startTestApp } from '../../../test/test-app.ts'
import { outliveTrial } from '../state/take-store.ts'
import { isHopeless, Quarantine, trialMs } from './quarantine.ts'
import { fixture } from '../../../test/fixture.ts'

const app = fixture(() => startTestApp({ role: 'api' }))

it('tries for longer the more often a run fell over, within a bound', () => {
  const of = (takesWithoutProgress: number) => trialMs({ takesWithoutProgress, takesAlone: 0 })
  assert.deepEqual([of(2), of(3), of(5), of(100)], [2_000, 4_000, 16_000, 300_000])
})

it('holds nothing against a run that fell over in company', () => {
  assert.equal(isHopeless({ takesWithoutProgress: 100, takesAlone: 3 }), false)
  assert.equal(isHopeless({ takesWithoutProgress: 2, takesAlone: 4 }), false)
  assert.equal(isHopeless({ takesWithoutProgress: 6, takesAlone: 4 }), true)
})

it('holds nothing against a run whose process lives, also where the database is away just then', async (test) => {
  test.mock.timers.enable({ apis: ['setTimeout'] })
  const outage = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })
  const recorded: number[] = []
  let failures = 2
  const record = async ({ attempt }: { attempt: number }): Promise<void> => {
    if (failures-- > 0) throw outage
    recorded.push(attempt)
  }
  const quarantine = new Quarantine(record, assert.ifError)
  const begin = (attempt: number) => {
    const falls = { takesWithoutProgress: 3, takesAlone: 1 }
    assert.equal(quarantine.admit('run_1', falls), 0)
    return quarantine.watch({ accountId: 'acc_1', runId: 'run_1', attempt })
  }
  const pass = async (ms: number): Promise<void> => {
    test.mock.timers.tick(ms)
    await new Promise(setImmediate)
  }
  begin(1)(new Error('the run itself'))
  begin(2)(outage)
  for (let tries = 0; tries < 3; tries++) await pass(1_000)
  assert.deepEqual(recorded, [2])
  const end = begin(3)
  await pass(4_000)
  end()
  await pass(0)
  assert.deepEqual(recorded, [2, 3], 'once, when its time is over')
})

it('gives whoever may live some seconds before a run is given up', (test) => {
  let now = 0
  test.mock.method(performance, 'now', () => now)
  const quarantine = new Quarantine(async () => {}, assert.ifError)
  assert.equal(quarantine.giveUpAfter('run_1'), 3_000)
  now = 2_000
  assert.equal(quarantine.giveUpAfter('run_1'), 1_000)
  assert.equal(quarantine.giveUpAfter('run_2'), 3_000)
  now = 3_500
  assert.equal(quarantine.giveUpAfter('run_1'), 0)
})

it('records that also when another has taken the run', async () => {
  const path = `/v1/workflows/${await app.createWorkflow()}/runs`
  const data = await app.post(path, { input: 'x' })
  const rows = await app.sql<{ accountId: string; runId: string }>`
    update runs set attempt = 6, takes_without_progress = 3, takes_alone = 2
    where id = ${data.id} returning account_id as "accountId", id as "runId"`
  const key = rows[0] as { accountId: string; runId: string }
  const alone = async (): Promise<number> => {
    const query = sql<{ alone: number }>`
      select takes_alone as alone from runs where account_id = ${key.accountId} and id = ${key.runId}`
    return (await query.execute(app.database)).rows[0]?.alone as number
  }
  await outliveTrial(app.database, { ...key, attempt: 7 })
  assert.equal(await alone(), 2, 'a take that was not made')
  await outliveTrial(app.database, { ...key, attempt: 5 })
  assert.equal(await alone(), 1)
  await app.call('POST', `/v1/runs/${key.runId}/cancel`)
})

it('tries suspects one at a time, others beside them, and lets each end', async () => {
  const gate = Promise.withResolvers<void>()
  app.answer = (request, response) => void gate.promise.then(() => echo(request, response))
  const crew = [{ role: 'a', systemPrompt: 'a' }]
  const path = `/v1/workflows/${await app.createWorkflow({ crew })}/runs`
  const trigger = async (): Promise<string> => (await app.post(path, { input: 'x' })).id
  const suspects = await Promise.all([trigger(), trigger(), trigger()])
  // A trial of many falls is not outlived while the test looks at it.
  await app.sql`update runs set takes_without_progress = 9`
  await Promise.all([trigger(), trigger()])
  await using _worker = await app.startAnother('worker')

  await app.models.until(() => app.models.active === 3)
  const rows = await app.sql<{ id: string; alone: number }>`
    select id, takes_alone as alone from runs where status = 'running'`
  const tried = rows.filter(({ id }) => suspects.includes(id))
  assert.deepEqual([tried.length, tried[0]?.alone, rows.length], [1, 1, 3])
  gate.resolve()
  await until('all have ended', 60_000, async () => {
    // Who was turned away comes again now, not when that trial could be over.
    await app.sql`update jobs set ready_at = now() where worker is null`
    const left = await sql`select from runs where finished_at is null`.execute(app.database)
    return left.rows.length === 0
  })
})
