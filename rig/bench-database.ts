import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { openEmbeddedServer } from '../server/embedded/server.ts'

/** A connection to the embedded database of a running Muster, beside the service's own. */
export interface BenchDatabase extends AsyncDisposable {
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
}

export async function connectTo(databaseUrl: string): Promise<BenchDatabase> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: '-c search_path=muster',
    application_name: 'bench',
  })
  // A killed server ends the session; the next query says so.
  client.on('error', () => {})
  await client.connect()
  return {
    query: async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
      (await client.query<Row>(sql, values)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** Joins the server that a running Muster holds. */
export async function connectToEmbedded(dataDir: string): Promise<BenchDatabase> {
  await using server = await openEmbeddedServer({ dataDir })
  return await connectTo(server.url)
}

export async function postmasterPid(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  return Number.parseInt(text, 10)
}
