import type { Database } from '../../server/db/client.ts'
import type { Distribution } from '../../server/db/cluster/distribute.ts'
import type { Verbs } from '../noun.ts'
import { shell } from '../shell.ts'

export function addMigrate({ local }: Verbs): void {
  local(
    'migrate',
    "migrate the database to this build's schema (serve does so too)",
    async ({ options }: { options: { distribute?: boolean } }) => {
      await using database = await openDatabase()
      const { applied } = database
      if (options.distribute !== true) return { applied }
      const { spreadDatabase } = await import('../../server/start/prepare-database.ts')
      return { applied, distribution: await spreadDatabase(database.url) }
    },
    ({ applied, distribution }) =>
      [
        applied.length === 0 ? 'Nothing to apply.' : `Applied:\n${applied.join('\n')}`,
        ...(distribution === undefined ? [] : [summarizeDistribution(distribution)]),
      ].join('\n'),
  ).option(
    '--distribute',
    'distribute the tables over the nodes of a Citus database (experimental)',
  )
}

function summarizeDistribution(distribution: Distribution): string {
  if (distribution.kind === 'refused') return `Not distributed: ${distribution.why}.`
  const { placed, kept } = distribution
  const lines = [
    ['Distributed by account', placed.distributed],
    ['Copied to every node', placed.reference],
    ['On the coordinator', placed.local],
    ['Already distributed', kept === 0 ? [] : [`${kept} tables`]],
  ] as const
  return lines
    .flatMap(([what, tables]) => (tables.length === 0 ? [] : [`${what}: ${tables.join(', ')}`]))
    .join('\n')
}

interface OpenedDatabase extends AsyncDisposable {
  url: string
  /** Names of the applied migrations. */
  applied: string[]
  isDistributed: boolean
}

/**
 * Opens the database and migrates it to this build's schema: the one of DATABASE_URL, or else the
 * embedded one, whose server is joined if a service runs it and otherwise runs until disposed.
 */
async function openDatabase({ mustBeThere = false } = {}): Promise<OpenedDatabase> {
  const { readConfig } = await import('../../server/start/config.ts')
  const { openEmbeddedServer } = await import('../../server/embedded/server.ts')
  const { prepareDatabase, reachDatabase } = await import('../../server/start/prepare-database.ts')
  const { databaseUrl, dataDir } = readConfig(shell().env)
  await using stack = new AsyncDisposableStack()
  const log = (line: string) => shell().stderr.write(`${line}\n`)
  const url =
    databaseUrl === undefined
      ? stack.use(await openEmbeddedServer({ dataDir, mustBeThere, log })).url
      : await reachDatabase(databaseUrl, log)
  const prepared = await prepareDatabase(url)
  const all = stack.move()
  return { url, ...prepared, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** Works on the existing database of this machine's settings, with or without a running service. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const { createDatabase, createPool } = await import('../../server/db/client.ts')
  const { ShardMap } = await import('../../server/db/cluster/shard-map.ts')
  await using opened = await openDatabase({ mustBeThere: true })
  const open = (connections: number) => createPool(opened.url, connections)
  await using shards = opened.isDistributed ? new ShardMap(createDatabase(open(1))) : undefined
  await using database = createDatabase(open(2), shards && { shards })
  return await work(database)
}
