import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../rig/until.ts'
import { createDatabase, createPool } from '../../db/client.ts'
import { Notices } from '../../db/notices.ts'
import { createTestDatabase } from '../../db/test-database.ts'
import { TokenStream } from './token-stream.ts'

void it('a call that ends late does not silence the one that took its place', async () => {
  await using testDatabase = await createTestDatabase()
  await using database = createDatabase(createPool(testDatabase.url, 1))
  await using notices = new Notices(testDatabase.url, { retryMs: 20 })
  using tokens = new TokenStream(database, notices, assert.ifError)
  await until('it listens', 30_000, () => notices.isListening)
  const key = { accountId: 'acc_1', runId: 'run_1' }
  const leaving = new AbortController()
  await tokens.subscribe(key)
  const late = tokens.open({ ...key, attempt: 1 }, 1, 0)
  using current = tokens.open({ ...key, attempt: 2 }, 1, 0)
  assert.ok(late !== undefined && current !== undefined)
  const first = tokens.follow(key, () => {}, leaving.signal)
  current.write('It is said.')
  await until('the first hears it', 30_000, () => first()?.text === 'It is said.')
  leaving.abort()
  // Time for the batches that the first watcher asked for to arrive.
  await delay(500)

  late[Symbol.dispose]()
  const next = new AbortController()
  const second = tokens.follow(key, () => {}, next.signal)
  await until('who comes later hears it too', 3_000, () => second()?.text === 'It is said.')
  next.abort()
})
