import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pool } from 'pg'
import { migrate } from './migrate.ts'
import { createTestDatabase } from './test-database.ts'

void test('the template is already migrated', async () => {
  await using database = await createTestDatabase()
  const pool = new Pool({ connectionString: database.url })
  assert.deepEqual(await migrate(pool), { applied: [] })
  await pool.end()
})
