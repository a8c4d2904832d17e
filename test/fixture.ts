import { after, before } from 'node:test'
import type { Database } from '../server/db/client.ts'
import { createTestDatabase } from '../server/db/test-database.ts'

/**
 * Starts a resource before the tests of the suite that calls this, and disposes of it after them, in the
 * order of the calls. The returned object stands for the resource in hooks and tests.
 */
export function fixture<T extends AsyncDisposable>(start: () => Promise<T>): T {
  let started: T | undefined
  prepare(async () => {
    started = await start()
  })
  after(() => started?.[Symbol.asyncDispose]())
  return standIn(() => {
    if (started === undefined) throw new Error('Cannot use a fixture before its suite has begun')
    return started
  })
}

/** Runs before the tests of the suite, once the fixtures above it have started. */
export function prepare(work: () => Promise<unknown>): void {
  before(() => (prepared = prepared.catch(() => {}).then(work)))
}

/** At the root of a file the runner does not wait for one `before` with the next. */
let prepared: Promise<unknown> = Promise.resolve()

/** A database for the tests of the suite that calls this. */
export function databaseFixture(connections: number, create = createTestDatabase): Database {
  const made = fixture(async () => {
    const testDatabase = await create()
    const database = testDatabase.open(connections)
    return {
      database,
      async [Symbol.asyncDispose]() {
        await database.destroy()
        await testDatabase[Symbol.asyncDispose]()
      },
    }
  })
  return standIn(() => made.database)
}

/** An object whose properties are those of an object that is made later. */
function standIn<T extends object>(current: () => T): T {
  return new Proxy({} as T, {
    get(_, name) {
      const value: unknown = Reflect.get(current(), name)
      // Methods find the private fields of the object itself.
      return typeof value === 'function' ? value.bind(current()) : value
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
  })
}
