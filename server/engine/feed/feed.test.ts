import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import { loseNode, noCitus } from '../../db/cluster/test-citus.ts'
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts'
import { until } from '../../../rig/until.ts'
import { RunChanges } from './feed.ts'

describe('watching runs of many accounts', () => {
  let testDatabase: TestDatabase
  let database: Database
  const accounts = Array.from({ length: 10 }, (_, number) => `acc_${number}`)

  before(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open(3)
    for (const account of accounts) {
      await sql`insert into accounts (id, name) values (${account}, 'n')`.execute(database)
      await sql`
        insert into runs (account_id, id, workflow_id, input)
        values (${account}, ${runOf(account)}, 'wf', 'i')`.execute(database)
    }
  })
  after(async () => {
    await database.destroy()
    await testDatabase[Symbol.asyncDispose]()
  })

  const runOf = (account: string) => `run_${account}`
  const move = async (account: string) => {
    await sql`
      update runs set last_sequence = last_sequence + 1
      where account_id = ${account} and id = ${runOf(account)}`.execute(database)
  }
  /** The accounts whose runs have moved since. The caller owns the watcher and its signal. */
  const watch = (watcher: RunChanges, sequence: number, signal: AbortSignal): Set<string> => {
    const moved = new Set<string>()
    for (const accountId of accounts) {
      void watcher
        .moved({ accountId, runId: runOf(accountId) }, sequence, signal)
        .then(() => signal.aborted || moved.add(accountId))
    }
    return moved
  }

  it('tells each who waits that its run has moved, and nobody else', async () => {
    const stop = new AbortController()
    using watcher = new RunChanges(database, (error) => assert.fail(String(error)), 20)
    const moved = watch(watcher, 0, stop.signal)
    await watcher.tick()
    assert.equal(moved.size, 0)
    const [first = '', ...others] = accounts
    await move(first)
    await until('the first has moved', 10_000, () => moved.has(first))
    assert.equal(moved.size, 1)
    for (const account of others) await move(account)
    await until('all have moved', 10_000, () => moved.size === accounts.length)
    stop.abort()
  })

  it('goes on for accounts elsewhere while a node is away', { skip: noCitus }, async () => {
    const stop = new AbortController()
    // Errors are expected: in the end only runs of the lost node are left to read.
    using watcher = new RunChanges(database, () => {}, 20)
    const moved = watch(watcher, 1, stop.signal)
    const lost = await loseNode(testDatabase.url)
    const kept = new Set(accounts).difference(lost.accounts)
    try {
      for (const account of kept) await move(account)
      await until('those have moved', 10_000, () => kept.isSubsetOf(moved))
      assert.deepEqual(moved, kept)
    } finally {
      await lost.find()
    }
    for (const account of lost.accounts) await move(account)
    await until('all have moved', 10_000, () => moved.size === accounts.length)
    stop.abort()
  })
})
