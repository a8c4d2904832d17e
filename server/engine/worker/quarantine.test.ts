import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../../rig/until.ts'
import { echo, startTestApp, type ModelAnswer, type TestApp } from '../../../test/test-app.ts'
import { isHopeless, trialMs } from './quarantine.ts'

let app: TestApp
let answer: ModelAnswer = echo

before(async () => {
  app = await startTestApp({ role: 'api', answer: (...args) => answer(...args) })
})
after(() => app[Symbol.asyncDispose]())

it('tries for longer the more often a run fell over, within a bound', () => {
  const of = (takesWithoutProgress: number) => trialMs({ takesWithoutProgress, takesAlone: 0 })
  assert.deepEqual([of(2), of(3), of(5), of(100)], [2_000, 4_000, 16_000, 300_000])
})

it('holds nothing against a run that fell over in company', () => {
  assert.equal(isHopeless({ takesWithoutProgress: 100, takesAlone: 3 }), false)
  assert.equal(isHopeless({ takesWithoutProgress: 2, takesAlone: 4 }), false)
  assert.equal(isHopeless({ takesWithoutProgress: 6, takesAlone: 4 }), true)
})

it('tries suspects one at a time, others beside them, and lets each end', async () => {
  const gate = Promise.withResolvers<void>()
  answer = (request, response) => void gate.promise.then(() => echo(request, response))
  const crew = [{ role: 'a', systemPrompt: 'a' }]
  const created = await app.call('POST', '/v1/workflows', { body: { name: 'w', crew } })
  const path = `/v1/workflows/${created.body.data.id}/runs`
  const trigger = async (): Promise<string> =>
    (await app.call('POST', path, { body: { input: 'x' } })).body.data.id
  const suspects = await Promise.all([trigger(), trigger(), trigger()])
  // A trial of many falls is not outlived while the test looks at it.
  await sql`update runs set takes_without_progress = 9`.execute(app.database)
  await Promise.all([trigger(), trigger()])
  await using _worker = await app.startAnother('worker')

  await app.models.until(() => app.models.active === 3)
  const { rows } = await sql<{ id: string; alone: number }>`
    select id, takes_alone as alone from runs where status = 'running'`.execute(app.database)
  const tried = rows.filter(({ id }) => suspects.includes(id))
  assert.deepEqual([tried.length, tried[0]?.alone, rows.length], [1, 1, 3])
  gate.resolve()
  await until('all have ended', 60_000, async () => {
    // Who was turned away comes again now, not when that trial could be over.
    await sql`update jobs set ready_at = now() where worker is null`.execute(app.database)
    const left = await sql`select from runs where status <> 'completed'`.execute(app.database)
    return left.rows.length === 0
  })
})
