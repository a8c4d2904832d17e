import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { clerkFixture, ask } from '../../test/clerk.ts'
import { countBlocked } from '../db/test-locks.ts'
import { until } from '../../rig/until.ts'

describe('many answers to one run', () => {
  const at = clerkFixture()

  it('take turns without a connection each, and are refused before long', async () => {
    const run = await at.start([ask('Which?')])
    const { database } = at.app
    const answers = await database.transaction().execute(async (transaction) => {
      await sql`select from runs where id = ${run.id} for update`.execute(transaction)
      const sent = Array.from({ length: 20 }, (_, n) =>
        at.respond(run.id, { action: 'input', input: `answer ${n}` }),
      )
      await until(
        'an answer waits for the lock',
        20_000,
        async () => (await countBlocked(database)) > 0,
        10,
      )
      // The other connections of the account are free.
      const { status } = await at.app.call('GET', `/v1/runs/${run.id}`)
      assert.equal(status, 200)
      assert.equal(await countBlocked(database), 1)
      const refused = await Promise.race(sent)
      assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited'])
      assert.equal(refused.headers.get('retry-after'), '1')
      return sent
    })
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 202).length, 1, String(statuses))
    assert.ok(
      statuses.every((status) => [202, 409, 429].includes(status)),
      String(statuses),
    )
  })
})
