import assert from 'node:assert/strict'
import { it } from 'node:test'
import { backup } from './backup.ts'
import { createPool } from './client.ts'
import { createTestDatabase } from './test-database.ts'

it('a backup has nothing that was written after it began, on any node', async () => {
  await using testDatabase = await createTestDatabase()
  await using pool = createPool(testDatabase.url, 1)
  const accounts = Array.from({ length: 20 }, (_, number) => `acc_${number}`)
  const addJobs = async (run: string): Promise<void> => {
    for (const account of accounts) {
      await pool.query('insert into jobs (account_id, run_id) values ($1, $2)', [account, run])
    }
  }
  for (const account of accounts) {
    await pool.query(`insert into accounts (id, name) values ($1, 'n')`, [account])
  }
  await addJobs('run_before')
  const pieces: Buffer[] = []
  for await (const piece of backup(testDatabase.url, { release: 'r', secretKey: undefined })) {
    // The first piece comes before any table is read; the backup's snapshot is taken by then.
    if (pieces.length === 0) await addJobs('run_after')
    pieces.push(piece)
  }
  const text = Buffer.concat(pieces).toString()
  assert.equal(text.split('run_before').length - 1, accounts.length)
  assert.ok(!text.includes('run_after'))
})
