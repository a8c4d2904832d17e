import type { Database } from '../../server/db/client.ts'
import type { Verbs } from '../noun.ts'
import { shell } from '../shell.ts'

export function addMigrate({ local }: Verbs): void {
  local(
    'migrate',
    "bring the database to this build's schema (serve does so too)",
    async () => {
      await using database = await openDatabase()
      return { applied: database.applied }
    },
    ({ applied }) =>
      applied.length === 0 ? 'Nothing to apply.' : `Applied:\n${applied.join('\n')}`,
  )
}

interface OpenedDatabase extends AsyncDisposable {
  url: string
  /** Names of the migrations that this applied. */
  applied: string[]
}

/**
 * The database itself, brought to this build's schema: the one of DATABASE_URL, else the embedded
 * one, whose server is joined when a service runs it and otherwise runs until disposed.
 */
async function openDatabase(env = shell().env): Promise<OpenedDatabase> {
  const { readConfig } = await import('../../server/start/config.ts')
  const { openEmbeddedServer } = await import('../../server/embedded/server.ts')
  const { prepareDatabase, reachDatabase } = await import('../../server/start/prepare-database.ts')
  const { databaseUrl, dataDir } = readConfig(env)
  await using stack = new AsyncDisposableStack()
  const log = (line: string) => shell().stderr.write(`${line}\n`)
  const url =
    databaseUrl === undefined
      ? stack.use(await openEmbeddedServer({ dataDir, log })).url
      : await reachDatabase(databaseUrl)
  const { applied } = await prepareDatabase(url)
  const all = stack.move()
  return { url, applied, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** Works on the database of this machine's settings, with and without a running service. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const { createDatabase, createPool } = await import('../../server/db/client.ts')
  await using opened = await openDatabase()
  await using database = createDatabase(createPool(opened.url, 2))
  return await work(database)
}
