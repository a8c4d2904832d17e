import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createPool, type Database } from './client.ts'
import { statement, type Given } from './statement.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'
import { pluck } from '../../test/pluck.ts'

interface Values {
  word: string
  number: number
}

describe('a statement', () => {
  let testDatabase: TestDatabase
  let database: Database
  before(async () => {
    testDatabase = await createTestDatabase()
    database = createDatabase(createPool(testDatabase.url, 1))
  })
  after(async () => {
    await database.destroy()
    await testDatabase[Symbol.asyncDispose]()
  })

  it('has its own values at each execution, a value that stands in it twice and a constant included', async () => {
    const sum = statement(
      ({ word, number }: Given<Values>) => sql<{ word: string; sum: number }>`
        select ${word}::text as word, ${number}::int + ${100} + ${number}::int as sum`,
    )
    for (const values of [
      { word: 'one', number: 1 },
      // The order of the parameters does not matter.
      { number: 20, word: "it's $1" },
    ]) {
      const { rows } = await sum(values, {}).execute(database)
      assert.deepEqual(rows, [{ word: values.word, sum: 2 * values.number + 100 }])
    }
  })

  it('puts its text together once for each shape', async () => {
    let built = 0
    const shaped = statement(
      ({ number }: Given<Pick<Values, 'number'>>, { isDouble }: { isDouble: boolean }) => {
        built++
        return sql<{ value: number }>`
          select ${number}::int ${isDouble ? sql`* 2` : sql``} as value`
      },
    )
    const values: number[] = []
    for (const isDouble of [false, true, false, true]) {
      const { rows } = await shaped({ number: 4 }, { isDouble }).execute(database)
      values.push(...pluck(rows, 'value'))
    }
    assert.deepEqual(values, [4, 8, 4, 8])
    assert.equal(built, 2)
  })

  it('runs in a transaction', async () => {
    const value = statement(({ word }: Given<Pick<Values, 'word'>>) => sql`select ${word} as word`)
    const { rows } = await database
      .transaction()
      .execute((transaction) => value({ word: 'in' }, {}).execute(transaction))
    assert.deepEqual(rows, [{ word: 'in' }])
  })
})
