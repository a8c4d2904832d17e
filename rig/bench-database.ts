import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { openEmbeddedServer } from '../server/embedded/server.ts'

/** A connection to the embedded database of a running Muster, separate from the service's own. */
export interface BenchDatabase extends AsyncDisposable {
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
}

export async function connectTo(databaseUrl: string): Promise<BenchDatabase> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: '-c search_path=muster',
    application_name: 'bench',
  })
  // If the server is killed, the next query fails.
  client.on('error', () => {})
  await client.connect()
  return {
    query: async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
      (await client.query<Row>(sql, values)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** Joins the database server of a running Muster. */
export async function connectToEmbedded(dataDir: string): Promise<BenchDatabase> {
  await using server = await openEmbeddedServer({ dataDir })
  return await connectTo(server.url)
}

export async function postmasterPid(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  return Number.parseInt(text, 10)
}

/**
 * Process id of a session's server, the parent of the session's process; it must be on this
 * machine.
 */
export async function serverPid(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ pid: number }>('select pg_backend_pid() as pid')
  const stat = await readFile(`/proc/${row?.pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}
