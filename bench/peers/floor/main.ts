import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { makeCrew } from '../crew.ts'
import { poolSize, readDatabaseUrl, servePeer } from '../peer-program.ts'

/**
 * No library: the least that any durable system on PostgreSQL does. A run is a row, claimed with
 * SKIP LOCKED; a step's output is another. Each kind of statement batches everything that arrived
 * during the previous one; if STATEMENTS is `single`, each write is a separate statement. As in
 * Muster, the second model call does not wait for the first step's commit.
 */
const { callPlanner, callWriter } = makeCrew()
const perWrite = process.env['STATEMENTS'] === 'single' ? oneByOne : inBatches
const pool = new pg.Pool({ connectionString: readDatabaseUrl(), max: poolSize })
await pool.query(`
  create table if not exists runs (
    id text primary key, status text not null, asks boolean not null, input text not null,
    output text);
  create index if not exists runs_queued on runs (id) where status = 'queued';
  create table if not exists steps (
    run_id text, position int, output text not null, primary key (run_id, position))`)

interface Boundary {
  id: string
  position: number
  output: string
  status: 'running' | 'waiting' | 'completed'
}

const insertRuns = perWrite<{ id: string; asks: boolean; input: string }>((runs) =>
  query(
    'insert_runs',
    `insert into runs (id, asks, input, status)
     select *, 'queued' from unnest($1::text[], $2::boolean[], $3::text[])`,
    [runs.map(({ id }) => id), runs.map(({ asks }) => asks), runs.map(({ input }) => input)],
  ),
)
const writeBoundaries = perWrite<Boundary>((boundaries) =>
  query(
    'write_boundaries',
    `with boundary as (
       select * from unnest($1::text[], $2::int[], $3::text[], $4::text[])
         as boundary (id, position, output, status)),
     step as (insert into steps select id, position, output from boundary on conflict do nothing)
     update runs set status = boundary.status,
       output = case boundary.status when 'completed' then boundary.output end
     from boundary where runs.id = boundary.id and boundary.status <> 'running'`,
    [
      boundaries.map(({ id }) => id),
      boundaries.map(({ position }) => position),
      boundaries.map(({ output }) => output),
      boundaries.map(({ status }) => status),
    ],
  ),
)
const requeue = perWrite<string>((ids) =>
  query('requeue', `update runs set status = 'queued', asks = false where id = any($1)`, [ids]),
)
const claim = perWrite<void>(async (places) => {
  // Another claim may have taken a run that this one was for, and left one that it cannot see.
  for (let missing = places.length; missing > 0;) {
    const { rows } = await query<{ id: string; asks: boolean; input: string; plan: string | null }>(
      'claim',
      // Materialized, because it may otherwise lock more rows than it takes, which others then
      // skip.
      `with next as materialized
         (select id from runs where status = 'queued' limit $1 for update skip locked)
       update runs set status = 'running' from next where runs.id = next.id
       returning runs.id, asks, input,
         (select output from steps where run_id = runs.id and position = 0) as plan`,
      [missing],
    )
    missing -= rows.length
    for (const { id, asks, input, plan } of rows) {
      const run = carry(id, asks, input, plan)
      run.then(
        (output) => listeners.get(id)?.resolve(output),
        (error: unknown) => listeners.get(id)?.reject(error),
      )
    }
  }
})

/** Executes a claimed run until it ends or waits; returns its output, or the plan if it waits. */
async function carry(
  id: string,
  asks: boolean,
  input: string,
  stored: string | null,
): Promise<string> {
  const plan = stored ?? (await callPlanner(input))
  const status = asks ? 'waiting' : 'running'
  const written = writeBoundaries({ id, position: 0, output: plan, status })
  if (asks) return written.then(() => plan)
  const [output] = await Promise.all([callWriter(input, plan), written])
  await writeBoundaries({ id, position: 1, output, status: 'completed' })
  return output
}

const listeners = new Map<string, PromiseWithResolvers<string>>()

/** Queues a run, claims one, and waits until this one ends or waits. */
async function toRest(id: string, queued: () => Promise<void>): Promise<string> {
  const rest = Promise.withResolvers<string>()
  listeners.set(id, rest)
  await queued()
  await claim()
  return rest.promise.finally(() => listeners.delete(id))
}

servePeer({
  run: (id, input) => toRest(id, () => insertRuns({ id, asks: false, input })),
  async runToPause(id, input) {
    await toRest(id, () => insertRuns({ id, asks: true, input }))
  },
  answer: (id) => toRest(id, () => requeue(id)),
  async recover() {
    await pool.query(`update runs set status = 'queued' where status = 'running'`)
    const queued = await pool.query(`select from runs where status = 'queued'`)
    await Promise.all(queued.rows.map(() => claim()))
    const open = `select from runs where status in ('queued', 'running') limit 1`
    while ((await pool.query(open)).rowCount !== 0) await delay(20)
  },
  async readOutput(id) {
    const { rows } = await pool.query<{ output: string | null }>(
      'select output from runs where id = $1',
      [id],
    )
    return rows[0]?.output ?? undefined
  },
})

function query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[] = []) {
  return pool.query<Row>({ name, text, values })
}

function oneByOne<T>(flush: (items: T[]) => Promise<unknown>): (item: T) => Promise<void> {
  return async (item) => {
    await flush([item])
  }
}

/** Calls that arrive during a flush share the next one. */
function inBatches<T>(flush: (items: T[]) => Promise<unknown>): (item: T) => Promise<void> {
  let waiting: T[] = []
  let next: Promise<void> | undefined
  let current: Promise<unknown> = Promise.resolve()
  return (item) => {
    waiting.push(item)
    next ??= current.then(() => {
      const items = waiting
      waiting = []
      next = undefined
      const flushed = flush(items)
      current = flushed.catch(() => {})
      return flushed.then(() => {})
    })
    return next
  }
}
