import assert from 'node:assert/strict'
import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely'
import { createPool, type Database } from './client.ts'
import type { Tables } from './generated-tables.ts'

/**
 * Runs an operation, then explains each statement that it sent, with its values. Explaining changes
 * nothing.
 */
export async function explain(
  url: string,
  operation: (database: Database) => Promise<unknown>,
): Promise<string> {
  const sent: CompiledQuery[] = []
  const pool = createPool(url, 1)
  const dialect = new PostgresDialect({ pool })
  await using database = new Kysely<Tables>({
    dialect,
    log: ({ query }) => void sent.push(query),
  })
  await operation(database)
  assert.ok(sent.length > 0)
  const plans: string[] = []
  await pool.query('begin')
  for (const { sql, parameters } of sent) {
    if (/^(begin|commit|rollback)$/.test(sql)) continue
    const { rows } = await pool.query(`explain (analyze, buffers) ${sql}`, [...parameters])
    plans.push(rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n'))
  }
  await pool.query('rollback')
  return plans.join('\n\n')
}

/** Asserts that the plan uses the index, reads no table whole, sorts nothing and drops few rows. */
export function assertIndexed(plan: string, index: string): void {
  assert.ok(plan.includes(index), plan)
  assert.doesNotMatch(plan, /Seq Scan on (runs|steps|events|webhook_deliveries|step_turns)/, plan)
  assert.doesNotMatch(plan, /Sort Method/, plan)
  for (const [, count] of plan.matchAll(/Rows Removed by Filter: (\d+)/g)) {
    assert.ok(Number(count) < 1_000, plan)
  }
}

/** Blocks of 8 KB that statements touched, in memory or on disk, without those of planning. */
export function blocksOf(plans: string): number {
  return plans.split('\n\n').reduce((sum, plan) => {
    const [, hit = '0', , read = '0'] =
      /Buffers: shared(?: hit=(\d+))?( read=(\d+))?/.exec(plan.split('\nPlanning', 1)[0] ?? '') ??
      []
    return sum + Number(hit) + Number(read)
  }, 0)
}
