import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { fillAccounts, fillSkewed, large } from '../rig/fill-skewed.ts'
import { createDatabase, createPool } from '../server/db/client.ts'
import { createPlainDatabase, type TestDatabase } from '../server/db/test-database.ts'
import { blocksOf, explain } from '../server/db/test-plans.ts'
import { deliveries } from '../server/sends/webhooks/definition.ts'
import { messages } from '../server/sends/channels/notification-store.ts'
import { batches } from '../server/sources/batches/store.ts'
import { deliveries as events } from '../server/sources/hooks/delivery-store.ts'
import { firings } from '../server/sources/schedules/firing-store.ts'
import { claimOf, type WorkItem, type WorkTable } from '../server/work/table.ts'

/** What a claim reads beside an endpoint with thousands of due deliveries, where all else is done. */
let testDatabase: TestDatabase
const others = 8_000
const perAccount = 50
const most = 100 + 15 * perAccount

before(async () => {
  testDatabase = await createPlainDatabase()
  await using database = createDatabase(createPool(testDatabase.url, 1))
  await fillAccounts(database)
  await fillSkewed(database, { runs: 1_000, waiting: 100, others, end: new Date() })
  await sql`analyze`.execute(database)
})
after(() => testDatabase[Symbol.asyncDispose]())

describe('a claim', () => {
  const check = async <Item extends WorkItem>(table: WorkTable<Item>, due: number) => {
    let found: Item[] = []
    const plan = await explain(testDatabase.url, async (on) => {
      found = (await claimOf(table)(on, { count: 100, perAccount, busy: [] }, '')).items
    })
    assert.equal(found.filter(({ accountId }) => accountId === large).length, due)
    assert.ok(blocksOf(plan) <= most, `${blocksOf(plan)} blocks\n${plan}`)
  }
  it('of deliveries to a failing endpoint reads few of them', () => check(deliveries, 10))
  it('of events finds none at once', () => check(events, 0))
  it('of firings finds none at once', () => check(firings, 0))
  it('of messages finds none at once', () => check(messages, 0))
  it('of batches finds none at once', () => check(batches, 0))
})
