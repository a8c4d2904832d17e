import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createDatabase, createPool } from '../client.ts'
import { openBatcher, runEach } from '../run.ts'
import { notInOneShard } from './run-on-shard.ts'
import { pluck } from '../../../test/pluck.ts'

/** A pool that never connects. Accounts whose names begin alike are in one shard. */
const pool = createPool('postgres://nobody@127.0.0.1:9/none')
const shards = {
  shardOf: (account: string) => account.charAt(0),
  nodeOf: () => undefined,
  forget() {},
}
const distributed = createDatabase(pool, { shards })
const whole = createDatabase(pool)

const toItems = (accounts: string[]) => accounts.map((accountId) => ({ accountId }))
const accountsOf = (items: { accountId: string }[]) => pluck(items, 'accountId')

describe('a distributed database', () => {
  it('gathers what is in one shard, and one PostgreSQL what there is', async () => {
    const asked = ['a1', 'b1', 'a2', 'b2', 'a1']
    for (const [database, expected] of [
      [
        distributed,
        [
          ['a1', 'a2', 'a1'],
          ['b1', 'b2'],
        ],
      ],
      [whole, [asked]],
    ] as const) {
      const flushed: string[][] = []
      const gathered = openBatcher<{ accountId: string }, string>(database, async (items) => {
        flushed.push(accountsOf(items))
        return accountsOf(items)
      })
      const answers = await Promise.all(toItems(asked).map((item) => gathered.add(item)))
      assert.deepEqual(answers, asked)
      assert.deepEqual(flushed, expected)
    }
  })

  it('refuses further items when too many wait over all shards', async () => {
    const gate = Promise.withResolvers<void>()
    const gathered = openBatcher<{ accountId: string }, void>(
      distributed,
      async (items) => {
        await gate.promise
        return items.map(() => {})
      },
      { maxWaiting: 2 },
    )
    const waiting = toItems(['a1', 'b1']).map((item) => gathered.add(item))
    await assert.rejects(gathered.add({ accountId: 'c1' }), { code: 'too_busy' })
    gate.resolve()
    await Promise.all(waiting)
    await gathered.add({ accountId: 'c1' })
  })
})

describe('work in parts', () => {
  it('is done by shard, and by account where they no longer lie together', async () => {
    const parts: string[][] = []
    const done = await runEach(distributed, toItems(['a1', 'b1', 'a2']), async (items) => {
      const accounts = accountsOf(items)
      parts.push(accounts)
      if (accounts.length > 1) throw Object.assign(new Error('split'), { code: notInOneShard })
      return accounts
    })
    assert.deepEqual(parts, [['a1', 'a2'], ['b1'], ['a1'], ['a2']])
    assert.deepEqual(done, ['a1', 'a2', 'b1'])
  })

  it('fails with one of them, unless what the others answer is enough', async () => {
    const away = new Error('away')
    const work = async (items: { accountId: string }[]) => {
      if (items.some(({ accountId }) => accountId === 'b1')) throw away
      return accountsOf(items)
    }
    const batch = toItems(['a1', 'b1'])
    await assert.rejects(runEach(distributed, batch, work), away)
    assert.deepEqual(await runEach(distributed, batch, work, { isPartial: true }), ['a1'])
    await assert.rejects(runEach(distributed, toItems(['b1']), work, { isPartial: true }), away)
  })
})
