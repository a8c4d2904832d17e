import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createPlainDatabase, type TestDatabase } from '../db/test-database.ts'
import { blocksOf, explain } from '../db/test-plans.ts'
import { listAudit, type AuditFilter } from './store.ts'

/**
 * Each filter reads its page by an index. One account has 30,000 rows of activity with a change in every 1,000, the
 * other has changes with activity in every 1,000.
 */
let testDatabase: TestDatabase
const rows = 30_000

before(async () => {
  testDatabase = await createPlainDatabase()
  const database = testDatabase.open(1)
  for (const [account, usual, rare] of [
    ['acc_a', 'run.triggered', 'workflow.updated'],
    ['acc_b', 'workflow.updated', 'file.uploaded'],
  ] as const) {
    await sql`
      insert into audit (account_id, id, created_at, actor_type, actor_id, actor_name, action,
                         object_type, object_id)
      select ${account}, 'aud_' || lpad(n::text, 26, '0'), now() - (${rows}::int - n) * interval '1 second', 'key',
             case when n % 2 = 0 then 'key_a' else 'key_b' end, 'key',
             case when n % 1000 = 0 then ${rare} else ${usual} end, 'any', 'obj_' || n % 600
      from generate_series(1, ${rows}::int) as n`.execute(database)
  }
  await sql`vacuum (analyze) audit`.execute(database)
  await database.destroy()
})
after(() => testDatabase[Symbol.asyncDispose]())

describe('a page of the audit, of 30,000 rows', () => {
  const cases: [string, string, AuditFilter, RegExp, number][] = [
    ['changes amidst activity', 'acc_a', { kind: 'changes' }, /audit_changes/, 30],
    ['activity amidst changes', 'acc_b', { kind: 'activity' }, /audit_activity/, 30],
    ['changes by a busy key', 'acc_a', { kind: 'changes', actor_id: 'key_a' }, /audit_changes/, 30],
    ['activity by a key', 'acc_a', { kind: 'activity', actor_id: 'key_b' }, /audit_/, 50],
    ['one action', 'acc_b', { action: 'file.uploaded' }, /audit_(by_action|activity)/, 30],
    ['triggers', 'acc_a', { action: 'run.triggered' }, /audit_/, 50],
    ['one object', 'acc_a', { object_id: 'obj_7' }, /audit_by_object/, 50],
    ['changes of one object', 'acc_a', { kind: 'changes', object_id: 'obj_0' }, /audit_/, 10],
  ]
  for (const [name, account, filter, index, count] of cases) {
    it(`reads ${name} by an index`, async () => {
      let found = 0
      const plan = await explain(testDatabase.url, async (database) => {
        const page = { limit: 50, after: undefined }
        found = (await listAudit(database, account, page, filter)).items.length
      })
      assert.equal(found, count)
      assert.match(plan, index)
      assert.doesNotMatch(plan, /Seq Scan on audit/)
      assert.ok(blocksOf(plan) <= 100 + 15 * 51, plan)
    })
  }
})
