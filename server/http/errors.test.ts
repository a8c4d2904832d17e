import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import { sql } from 'kysely'
import { createDatabase, createPool } from '../db/client.ts'
import { createPlainDatabase } from '../db/test-database.ts'
import { sendError } from './errors.ts'

describe('a statement that takes too long', () => {
  it('is answered by 503 that says so, and is logged', async () => {
    await using testDatabase = await createPlainDatabase()
    await using database = createDatabase(createPool(testDatabase.url, 1, { statementMs: 50 }))
    const lines: string[] = []
    const app = fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } })
    app.setErrorHandler(sendError)
    app.get('/', () => sql`select pg_sleep(5)`.execute(database))
    const answer = await app.inject('/')
    assert.equal(answer.statusCode, 503, answer.body)
    const { error } = answer.json<{ error: { code: string; message: string } }>()
    assert.equal(error.code, 'database_unavailable')
    assert.match(error.message, /the database did not answer in time/)
    assert.ok(lines.some((line) => line.includes('statement timeout')))
    await app.close()
  })
})

describe('a database connection that breaks in the middle of a transaction', () => {
  it('is answered by 503, which clients repeat', async () => {
    await using testDatabase = await createPlainDatabase()
    const pool = createPool(testDatabase.url, 2)
    await using database = createDatabase(pool)
    const { promise: isBroken, resolve } = Promise.withResolvers<void>()
    pool.on('connect', (client) => client.once('end', resolve))
    const app = fastify()
    app.setErrorHandler(sendError)
    app.get('/', () =>
      database.transaction().execute(async (transaction) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(
          transaction,
        )
        await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database)
        await isBroken
        await sql`select 1`.execute(transaction)
      }),
    )
    const answer = await app.inject('/')
    assert.equal(answer.statusCode, 503, answer.body)
    assert.equal(answer.json<{ error: { code: string } }>().error.code, 'database_unavailable')
    assert.equal(answer.headers['retry-after'], '2')
    await app.close()
  })
})

describe('a database that cannot do its work now', () => {
  it('is answered by 503 and Retry-After, whatever it lacks', async () => {
    await using testDatabase = await createPlainDatabase()
    await using database = createDatabase(createPool(testDatabase.url, 1))
    const app = fastify()
    app.setErrorHandler(sendError)
    app.get<{ Params: { code: string } }>('/:code', ({ params: { code } }) =>
      sql
        .raw(`do $$ begin raise exception 'no' using errcode = '${code}'; end $$`)
        .execute(database),
    )
    const codes = ['25006', '53100', '53200', '53300', '25P02', '57P01', '57P03', '40001', '40P01']
    for (const code of [...codes, '58030', '08006', '28P01', '57014', '55P03']) {
      const answer = await app.inject(`/${code}`)
      const { error } = answer.json<{ error: Record<string, string> }>()
      const seen = [answer.statusCode, answer.headers['retry-after'], error.type, error.code]
      assert.deepEqual(seen, [503, '2', 'unavailable', 'database_unavailable'], code)
    }
    for (const code of ['22012', '23505', '42P01']) {
      assert.equal((await app.inject(`/${code}`)).statusCode, 500, code)
    }
    await app.close()
  })
})
