import type { Command } from 'commander'
import type { Output } from '../output.ts'
import { shell } from '../shell.ts'

export function addMigrate(program: Command, output: () => Output): void {
  program
    .command('migrate')
    .description("bring the database to this build's schema (serve does so too)")
    .action(async () => {
      await using database = await openDatabase()
      const { applied } = database
      output().result({ applied }, () =>
        applied.length === 0 ? 'Nothing to apply.' : `Applied:\n${applied.join('\n')}`,
      )
    })
}

export interface OpenedDatabase extends AsyncDisposable {
  url: string
  /** Names of the migrations that this applied. */
  applied: string[]
}

/**
 * The database itself, brought to this build's schema: the one of DATABASE_URL, else the embedded
 * one, whose server is joined when a service runs it and otherwise runs until disposed.
 */
export async function openDatabase(env = shell().env): Promise<OpenedDatabase> {
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
