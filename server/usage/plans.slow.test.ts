import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { fillUsage, usageSpread } from '../../rig/fill-usage.ts'
import { createDatabase, createPool, type Database } from '../db/client.ts'
import { createPlainDatabase, type TestDatabase } from '../db/test-database.ts'
import { explain } from '../db/test-plans.ts'
import type { Grouping } from './counts.ts'
import { foldUsage } from './fold.ts'
import { sumUsage } from './usage-store.ts'

/**
 * How many rows a question about 400 days reads: the days of each value of its page, whatever else
 * the account has.
 */
let testDatabase: TestDatabase
let database: Database
const days = 400
/** The number of buckets that a day's durations fall into. */
const buckets = 43
const limit = 51

before(async () => {
  testDatabase = await createPlainDatabase()
  database = createDatabase(createPool(testDatabase.url, 1, { statementMs: 0, answerMs: 0 }))
  await sql`insert into accounts (id, name) values ('acc_a', 'a')`.execute(database)
  await fillUsage(database, { accountId: 'acc_a', runs: 100_000, days })
  await sql`vacuum (analyze) usage_days, usage_durations`.execute(database)
})
after(async () => {
  await database.destroy()
  await testDatabase[Symbol.asyncDispose]()
})

const dayAgo = (count: number) =>
  new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10)

/** Counts the rows that scans of these tables returned or dropped, over all loops. */
function rowsRead(plan: string): number {
  let rows = 0
  const lines = plan.split('\n')
  for (const [place, line] of lines.entries()) {
    const found = /Scan.* on usage_.*actual .*rows=([\d.]+) loops=(\d+)/.exec(line)
    if (found === null) continue
    const dropped = lines
      .slice(place + 1, place + 5)
      .flatMap((one) => /Rows Removed by Filter: (\d+)/.exec(one)?.[1] ?? [])
    rows += (Number(found[1]) + Number(dropped[0] ?? 0)) * Number(found[2])
  }
  return rows
}

describe('usage of 400 days of 20,000 runs', () => {
  const { workflows, agents, models } = usageSpread
  const values: [Grouping, number][] = [
    ['workflow', workflows],
    ['agent', agents],
    ['model', models],
    ['tag:customer', limit],
    ['tag:job', limit],
  ]
  const ask = (grouping: Grouping) =>
    explain(testDatabase.url, async (explaining) => {
      const range = { from: dayAgo(days - 1), to: dayAgo(-1) }
      await sumUsage(explaining, 'acc_a', { ...range, grouping, limit, after: undefined })
    })
  for (const [grouping, count] of values) {
    it(`by ${grouping} reads few rows of each value`, async () => {
      const plan = await ask(grouping)
      assert.doesNotMatch(plan, /Seq Scan on usage_(days|durations)/, plan)
      assert.doesNotMatch(plan, /(Scan using|Scan on) usage_\w+_by_age/, plan)
      const read = rowsRead(plan)
      assert.ok(read > count, plan)
      assert.ok(read < (count + 1) * (2 + days * (1 + buckets)), `${read}\n${plan}`)
    })
  }

  it('by day reads its days', async () => {
    const plan = await ask('day')
    const read = rowsRead(plan)
    assert.ok(read >= limit && read < (limit + 1) * (3 + buckets), `${read}\n${plan}`)
  })

  it('of a workflow by day reads its days', async () => {
    const plan = await explain(testDatabase.url, async (explaining) => {
      const range = { from: dayAgo(days - 1), to: dayAgo(-1), workflowId: 'wf_3' }
      await sumUsage(explaining, 'acc_a', { ...range, grouping: 'day', limit, after: undefined })
    })
    assert.doesNotMatch(plan, /Seq Scan on usage_(days|durations)/, plan)
    const read = rowsRead(plan)
    assert.ok(read >= limit && read < days + (limit + 1) * (3 + buckets), `${read}\n${plan}`)
  })

  it('is summed up by an index, and that nothing is left to sum up is seen by it', async () => {
    const plan = await explain(testDatabase.url, foldUsage)
    assert.doesNotMatch(plan, /Seq Scan on usage_(days|durations)/, plan)
    assert.ok(rowsRead(plan) < 10, plan)
  })
})
