import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { startDatabaseProxy } from '../../test/chaos/database-proxy.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { stop } from './stop.ts'

const log = pino({ level: 'silent' })
const patience = { silentMs: 300, everyMs: 20, answerMs: 100 }

describe('a service that stops', () => {
  it('waits for its work as long as the database answers', async () => {
    await using testDatabase = await createTestDatabase()
    const { promise, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, 1_500)
    const work = { [Symbol.asyncDispose]: () => promise }
    // Longer times, so that a database that answers late on a busy machine does not count as
    // silent.
    const more = { ...patience, silentMs: 1_000, answerMs: 1_000 }
    assert.equal(await stop(work, testDatabase.url, log, more), true)
  })

  for (const how of ['stall', 'refuse'] as const) {
    it(`waits for nothing when the database is silent (${how})`, async () => {
      await using testDatabase = await createTestDatabase()
      await using proxy = await startDatabaseProxy(testDatabase.url)
      proxy[how](60_000)
      const work = { [Symbol.asyncDispose]: () => new Promise<void>(() => {}) }
      assert.equal(await stop(work, proxy.url, log, patience), false)
    })
  }
})
