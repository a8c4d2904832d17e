import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../../rig/until.ts'
import { Notices } from '../../db/notices.ts'
import { loseNode, noCitus } from '../../db/cluster/test-citus.ts'
import { createTestDatabase } from '../../db/test-database.ts'
import { AccountChanges } from './account-changes.ts'
import { pluck } from '../../../test/pluck.ts'
import { changeChannel } from '../journal/record.ts'

it(
  'streams of accounts whose node is away end, those of others go on',
  { skip: noCitus },
  async () => {
    await using testDatabase = await createTestDatabase()
    await using database = testDatabase.open(3)
    await using notices = new Notices(testDatabase.url)
    await until('somebody listens', 20_000, () => notices.isListening)
    using watcher = new AccountChanges(database, notices, (error) => assert.fail(String(error)))
    const stop = new AbortController()
    const hints = new Map<string, string[]>()
    const ended = new Set<string>()
    for (let number = 0; number < 10; number++) {
      const account = `acc_${number}`
      await sql`insert into accounts (id, name) values (${account}, 'n')`.execute(database)
      await sql`
        insert into runs (account_id, id, workflow_id, input)
        values (${account}, ${`run_${account}`}, 'wf', 'i')`.execute(database)
      const stream = await watcher.follow(account, stop.signal)
      const heard: string[] = []
      hints.set(account, heard)
      void (async () => {
        for await (const some of stream) heard.push(...pluck(some, 'runId'))
        ended.add(account)
      })()
    }
    const name = (count: number) =>
      sql`select pg_notify(${changeChannel}, id || ' run_' || id) from accounts`
        .execute(database)
        .then(() =>
          until(`${count} hints of each that has a stream`, 10_000, () =>
            hints.entries().every(([id, { length }]) => ended.has(id) || length === count),
          ),
        )
    await name(1)
    assert.equal(ended.size, 0)
    const lost = await loseNode(testDatabase.url)
    try {
      await name(2)
      assert.deepEqual(ended, lost.accounts)
      for (const [account, heard] of hints) {
        const runs = lost.accounts.has(account) ? 1 : 2
        assert.deepEqual(heard, Array(runs).fill(`run_${account}`))
      }
    } finally {
      await lost.find()
    }
    stop.abort()
  },
)

it('a stream that is asked for once the process stops ends at once, so that the process can', async () => {
  await using testDatabase = await createTestDatabase()
  await using database = testDatabase.open(1)
  await using notices = new Notices(testDatabase.url)
  await until('the database is listened to', 20_000, () => notices.isListening)
  const watcher = new AccountChanges(database, notices, (error) => assert.fail(String(error)))
  watcher[Symbol.dispose]()
  const stream = await watcher.follow('acc_late', new AbortController().signal)
  assert.equal((await stream.next()).done, true)
})
