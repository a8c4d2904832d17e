import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { startTestApp } from '../../test/test-app.ts'

it('a trigger that another client keeps from the tables of runs is answered with 503, and its key is free', async () => {
  await using app = await startTestApp({ role: 'api' })
  const { id } = await app.post('/v1/workflows', { name: 'w' })
  const trigger = () =>
    app.call('POST', `/v1/workflows/${id}/runs`, {
      body: { input: 'x' },
      headers: { 'idempotency-key': 'once' },
    })
  await app.database.transaction().execute(async (transaction) => {
    await sql`lock table runs in access exclusive mode`.execute(transaction)
    const { status, headers, body } = await trigger()
    assert.deepEqual([status, body.error.code], [503, 'database_unavailable'])
    assert.ok(Number(headers.get('retry-after')) > 0)
  })
  assert.equal((await trigger()).status, 202)
})
