import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { Client } from 'pg'
import pino from 'pino'
import { createPlainDatabase, type TestDatabase } from '../db/test-database.ts'
import { Acknowledged } from '../engine/journal/epochs.ts'
import { Epochs } from './detect-epochs.ts'

const options = {
  acknowledged: new Acknowledged(),
  log: pino({ level: 'silent' }),
  trustsPromotion: false,
}
const open = ({ url }: Pick<TestDatabase, 'url'>) => new Epochs(options).open(url, false)

async function newestEpoch(testDatabase: Pick<TestDatabase, 'open'>) {
  const database = testDatabase.open(1)
  const { rows } = await sql<{ number: number; reason: string; held: boolean; named: boolean }>`
    select number, reason, deliveries_held as held, database_name = current_database() as named
    from epochs order by number desc limit 1`.execute(database)
  await database.destroy()
  return rows[0]
}

/** A statement in the server's own database. */
async function inServer(url: string, text: string): Promise<void> {
  const server = new URL(url)
  server.pathname = '/postgres'
  const client = new Client({ connectionString: String(server) })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

const original = { number: 0, reason: 'first', held: false, named: true }
const copied = { number: 1, reason: 'restored', held: true, named: true }

describe('a database', () => {
  it('is told from its copy in the same server, and stays the original', async () => {
    await using first = await createPlainDatabase()
    await open(first)
    assert.deepEqual(await newestEpoch(first), original)
    await using copy = await createPlainDatabase()
    const [name, copyName] = [first, copy].map(({ url }) => new URL(url).pathname.slice(1))
    await inServer(first.url, `drop database ${copyName}`)
    await inServer(first.url, `create database ${copyName} template ${name}`)
    await open(copy)
    await open(copy)
    assert.deepEqual(await newestEpoch(copy), copied)
    await open(first)
    assert.deepEqual(await newestEpoch(first), original)
  })

  it('that an older version left is no copy', async () => {
    await using first = await createPlainDatabase()
    await open(first)
    const database = first.open(1)
    await sql`update epochs set database_oid = null, database_name = null`.execute(database)
    await database.destroy()
    await open(first)
    assert.deepEqual(await newestEpoch(first), original)
  })

  it('is told from its copy by a role that may not read the identity of the server', async () => {
    await using first = await createPlainDatabase()
    const database = first.open(1)
    // A copy of a copied folder keeps the oid, and its operator gave it another name.
    await open(first)
    await sql`
      update epochs set system_identifier = null, timeline = null, database_name = 'original'`.execute(
      database,
    )
    await sql`revoke execute on function pg_control_system() from public`.execute(database)
    await sql`create role weak_reader login in role pg_read_all_data, pg_write_all_data`.execute(
      database,
    )
    try {
      const url = new URL(first.url)
      url.username = 'weak_reader'
      await open({ url: String(url) })
      assert.deepEqual(await newestEpoch(first), copied)
    } finally {
      await sql`drop role weak_reader`.execute(database)
      await database.destroy()
    }
  })
})
