import pg from 'pg'
import pino from 'pino'
import { startApp } from '../server/start/app.ts'
import { readConfig } from '../server/start/config.ts'
import { startEmbeddedServer } from '../server/embedded/server.ts'
import { figure, type Figure } from './report.ts'
import { createWorkflow } from '../rig/api.ts'
import { connectTo, postmasterPid, type BenchDatabase } from '../rig/bench-database.ts'
import { waitForCompleted } from '../rig/completed.ts'
import { familyCpuMs, round } from '../rig/measure.ts'
import { startLoadProcess } from '../rig/load-process.ts'
import { startModelProcess } from '../rig/model-process.ts'
import { adminKey } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'

const warmUpRuns = 1_000
const scenes = [
  { name: '256 open', runs: 10_000, open: 256 },
  { name: 'one after the other', runs: 300, open: 1 },
]

/** What a run of two steps costs the database: statements, WAL, CPU, and stored bytes. */
export async function costPerRun(): Promise<Figure[]> {
  await using folder = await makeScratchFolder()
  await using model = await startModelProcess()
  await using load = await startLoadProcess()
  await using postgres = await startEmbeddedServer({ dataDir: folder.dataDir })
  const statements = countStatements()
  // In this process, so that its statements can be counted.
  const config = readConfig({
    DATABASE_URL: postgres.url,
    PORT: '0',
    MUSTER_ADMIN_KEY: adminKey,
    MUSTER_RATE_LIMIT: '0',
    MUSTER_ACCOUNT_CONCURRENCY: '500',
    MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
  })
  await using app = await startApp(config, 'all', pino({ level: 'fatal' }))
  const url = app.url ?? ''
  await using database = await connectTo(postgres.url)
  const workflowId = await createWorkflow(url)
  const pid = await postmasterPid(folder.dataDir)
  let ended = 0
  const play = async (count: number, open: number): Promise<void> => {
    const common = { url, workflowId, modelUrl: model.url }
    const connections = Math.min(64, open)
    await load.trigger({ ...common, firstTag: ended, count, connections, window: open })
    ended += count
    await waitForCompleted(database, ended, 240_000)
  }
  const look = async (): Promise<Readings> => ({
    statements: statements(),
    ...(await readDatabase(database)),
    cpuMs: await familyCpuMs(pid),
    sizes: await readSizes(database),
  })

  await play(warmUpRuns, 256)
  const figures: Figure[] = []
  for (const { name, runs, open } of scenes) {
    // The first change of a page after a checkpoint is logged in full; this makes all scenes alike.
    await database.query('checkpoint')
    const before = await look()
    await play(runs, open)
    const after = await look()
    const each = (reading: (readings: Readings) => number): number =>
      (reading(after) - reading(before)) / runs
    figures.push(
      figure(
        `a run, ${name} (${runs} runs): statements / transactions`,
        `${round(each((one) => one.statements))} / ${round(each((one) => one.transactions))}`,
      ),
      figure(
        `the same: rows inserted / updated / deleted`,
        `${round(each((one) => one.inserted))} / ${round(each((one) => one.updated))} / ${round(each((one) => one.deleted))}`,
      ),
      figure(`the same: write-ahead log`, `${round(each((one) => one.walBytes) / 1_024)} KB`),
      figure(
        `the same: CPU of PostgreSQL`,
        `${round(
          each((one) => one.cpuMs),
          2,
        )} ms`,
      ),
    )
    if (open > 1) figures.push(...sizeFigures(before.sizes, after.sizes, runs))
  }
  return figures
}

interface Readings {
  statements: number
  transactions: number
  inserted: number
  updated: number
  deleted: number
  walBytes: number
  cpuMs: number
  sizes: Map<string, number>
}

/** Counts statements of the service's connections; the benchmark's have another name. */
function countStatements(): () => number {
  let count = 0
  const query = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown
  Reflect.set(pg.Client.prototype, 'query', function counted(this: Named, ...args: unknown[]) {
    if (this.connectionParameters?.application_name === 'muster') count++
    return Reflect.apply(query, this, args)
  })
  return () => count
}

interface Named {
  connectionParameters?: { application_name?: string }
}

async function readDatabase(
  database: BenchDatabase,
): Promise<Omit<Readings, 'statements' | 'cpuMs' | 'sizes'>> {
  // Sessions report their statistics within a second.
  await database.query('select pg_sleep(1.5)')
  const [row] = await database.query<Omit<Readings, 'statements' | 'cpuMs' | 'sizes'>>(
    `select xact_commit::int as transactions, tup_inserted::int as inserted,
            tup_updated::int as updated, tup_deleted::int as deleted,
            (pg_current_wal_lsn() - '0/0')::float8 as "walBytes"
     from pg_stat_database where datname = current_database()`,
  )
  if (row === undefined) throw new Error('The database has no statistics')
  return row
}

/** Bytes of each table with its indexes. */
async function readSizes(database: BenchDatabase): Promise<Map<string, number>> {
  const rows = await database.query<{ name: string; bytes: number }>(
    `select relname as name, pg_total_relation_size(pg_class.oid)::float8 as bytes
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'r' and nspname = 'muster'`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}

function sizeFigures(
  before: Map<string, number>,
  after: Map<string, number>,
  runs: number,
): Figure[] {
  const grown = [...after]
    .map(([name, bytes]) => ({ name, bytes: (bytes - (before.get(name) ?? 0)) / runs }))
    .filter(({ bytes }) => bytes >= 10)
    .toSorted((a, b) => b.bytes - a.bytes)
  const total = grown.reduce((sum, { bytes }) => sum + bytes, 0)
  const parts = grown.map(({ name, bytes }) => `${name} ${round(bytes / 1_024)}`)
  return [
    figure(
      `the same: left in tables and indexes, 2 KB input, 1 KB output a step (${parts.join(', ')})`,
      `${round(total / 1_024)} KB`,
    ),
  ]
}
