import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../rig/until.ts'
import { createDatabase, createPool } from './client.ts'
import { Notices } from './notices.ts'
import { createTestDatabase } from './test-database.ts'

void it('notices arrive, and again when their connection was lost, of which both ends are told', async () => {
  await using testDatabase = await createTestDatabase()
  await using database = createDatabase(createPool(testDatabase.url, 1))
  await using notices = new Notices(testDatabase.url, { retryMs: 20 })
  const heard: (string | undefined)[] = []
  notices.on('one', (payload) => heard.push(payload))
  notices.on('other', (payload) => assert.equal(payload, undefined))
  const isHeard = (what: string | undefined, times: number) =>
    until(
      `${what} is heard`,
      30_000,
      () => heard.filter((payload) => payload === what).length === times,
    )
  await until('it listens', 30_000, async () => {
    await sql`notify one, 'first'`.execute(database)
    // The gap before the first connection is reported once that connection is made.
    return notices.isListening && heard.includes('first')
  })

  for (let round = 0; round < 3; round++) {
    heard.length = 0
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
              where query like 'listen %' and datname = current_database()`.execute(database)
    await isHeard(undefined, 2)
    await sql`notify one, 'again'`.execute(database)
    await isHeard('again', 1)
  }
})

void it('channels that are asked for together are listened to one after another', async () => {
  await using testDatabase = await createTestDatabase()
  await using database = createDatabase(createPool(testDatabase.url, 1))
  await using notices = new Notices(testDatabase.url, { retryMs: 20 })
  const warnings: string[] = []
  const onWarning = ({ message }: Error): number => warnings.push(message)
  process.on('warning', onWarning)
  await until('it listens', 30_000, () => notices.isListening)
  const heard = new Set<string>()
  const channels = ['one', 'two', 'three']
  for (const channel of channels) notices.on(channel, () => heard.add(channel))
  await until('all are heard', 30_000, async () => {
    for (const channel of channels) await sql`notify ${sql.raw(channel)}`.execute(database)
    return heard.size === channels.length
  })
  process.off('warning', onWarning)
  assert.deepEqual(warnings, [])
})
