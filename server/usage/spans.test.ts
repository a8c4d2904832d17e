import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { fillUsage } from '../../rig/fill-usage.ts'
import type { Grouping } from './counts.ts'
import { foldUsage, spanUsage } from './fold.ts'
import { spansWithin } from './span-store.ts'
import { sumUsage } from './usage-store.ts'
import { prepare, databaseFixture } from '../../test/fixture.ts'

const database = databaseFixture(3)
prepare(async () => {
  await sql`insert into accounts (id, name) values ('acc_a', 'a'), ('acc_b', 'b')`.execute(database)
  await fillUsage(database, { accountId: 'acc_b', runs: 40, days: 10 })
  await fillUsage(database, { accountId: 'acc_a', runs: 900, days: 60 })
})

// Midnight may come meanwhile.
const now = Date.now()
const dayAgo = (days: number) => new Date(now - days * 86_400_000).toISOString().slice(0, 10)
const ranges: [number, number][] = [
  [100, -1],
  [50, 3],
  [30, 25],
  [17, 0],
]

async function answers(accountId = 'acc_a'): Promise<unknown> {
  const groupings: Grouping[] = ['day', 'workflow', 'agent', 'model', 'tag:customer']
  return Promise.all(
    groupings.flatMap((grouping) =>
      ranges.map(([from, to]) => {
        const range = { from: dayAgo(from), to: dayAgo(to) }
        return sumUsage(database, accountId, { grouping, ...range, limit: 30, after: undefined })
      }),
    ),
  )
}

/** Days of this account that are summed up, and those that could be. */
async function spanned(): Promise<{ done: number; left: number }> {
  const { rows } = await sql<{ done: number; left: number }>`
    select count(*) filter (where is_spanned)::int as done,
           count(*) filter (where not is_spanned and day < current_date - 7)::int as left
    from usage_days where account_id = 'acc_a' and dimension in ('workflow', 'agent', 'tag:job')
    `.execute(database)
  return rows[0] as { done: number; left: number }
}

describe('sums of spans', () => {
  it('change no answer, whichever days they have, and are made once by two at a time', async () => {
    const expected = await answers()
    const ofOther = await answers('acc_b')
    // A process of 0.1.0 folds a day anew, and knows nothing of spans.
    await sql`
      insert into usage_days (account_id, dimension, value, day, completed, failed, cancelled, steps,
                              tokens_in, tokens_out, cost_usd)
      values ('acc_a', 'tag:old', 'x', current_date - 20, 1, 0, 0, 0, 0, 0, 0)`.execute(database)
    let rounds = 0
    while ((await Promise.all([spanUsage(database), spanUsage(database)])).includes(true)) {
      assert.deepEqual(await answers(), expected, `after ${++rounds}`)
    }
    assert.ok(rounds > 1)
    const { done, left } = await spanned()
    assert.ok(done > 1_000, String(done))
    assert.equal(left, 0)
    assert.deepEqual(await answers('acc_b'), ofOther)
  })

  it('take no day while something of it, or of one before, is still to be folded', async () => {
    const add = (dimension: string, days: number) =>
      sql`
        insert into usage_deltas (account_id, day, workflow_id, completed, failed, cancelled, steps,
                                  tokens_in, tokens_out, cost_usd, buckets, tags)
        values ('acc_a', current_date - ${days}::int, 'wf_late', 1, 0, 0, 0, 0, 0, 0, '{90}',
                ${JSON.stringify({ [dimension]: 'x' })}::jsonb)`.execute(database)
    await add('late', 40)
    await add('late', 30)
    while (await foldUsage(database));
    await add('later', 40)
    assert.equal(await spanUsage(database), false)
    const expected = await answers()
    while (await foldUsage(database));
    assert.equal(await spanUsage(database), true)
    assert.deepEqual(await answers(), expected)
  })

  it('are of whole spans within a range', () => {
    const within = (from: string, to: string) => spansWithin({ from, to })
    const [start, end] = ['2026-10-26', '2026-11-11']
    assert.deepEqual(within(start, end), { from: start, to: end })
    assert.deepEqual(within('2026-10-25', '2026-11-26'), { from: start, to: end })
    assert.deepEqual(within('2026-10-27', '2026-11-11'), { from: '2026-10-27', to: '2026-10-27' })
    assert.deepEqual(within('1000-01-01', '1000-01-02').from, '1000-01-01')
  })
})
