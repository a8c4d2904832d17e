import { after, before } from 'node:test'
import type { Database } from '../server/db/client.ts'
import { createTestDatabase } from '../server/db/test-database.ts'

/**
 * Starts a resource before the tests of the calling suite, and disposes of it after them, in the
 * order of the calls. The returned object is a proxy for the resource, for hooks and tests.
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

/** Runs before the suite's tests, once the fixtures above have started. */
export function prepare(work: () => Promise<unknown>): void {
  before(() => (prepared = prepared.catch(() => {}).then(work)))
}

/** At the root of a file, the runner does not wait for one `before` before the next. */
let prepared: Promise<unknown> = Promise.resolve()

/** A database for the tests of the calling suite. */
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

/** A proxy of an object that is created later. */
function standIn<T extends object>(current: () => T): T {
  return new Proxy({} as T, {
    get(_, name) {
      const value: unknown = Reflect.get(current(), name)
      // Bound, because methods need the private fields of the object itself.
      return typeof value === 'function' ? value.bind(current()) : value
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
  })
}
