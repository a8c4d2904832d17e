import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { until } from '../rig/until.ts'
import { createDatabase, createPool, type Database } from '../server/db/client.ts'
import { loop, type Loop } from '../server/loop.ts'
import { callApi, startTestApp, type TestApp } from './test-app.ts'

/** Statements fail long before the faults are over. */
const statementMs = 300
const faultMs = 3 * statementMs

type Fault = (stranger: Database, name: string) => Promise<void>

const lock =
  (table: string): Fault =>
  async (stranger) => {
    await stranger.transaction().execute(async (transaction) => {
      await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction)
      await delay(faultMs)
    })
  }

const terminate = (name: string) =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${name} and pid <> pg_backend_pid()`

const faults: Record<string, Fault> = {
  'a lock on jobs': lock('jobs'),
  'a lock on runs': lock('runs'),
  'a lock on events': lock('events'),
  'a lock on keys': lock('api_keys'),
  'a lock on deliveries': lock('webhook_deliveries'),
  'sessions that end again and again': async (stranger, name) => {
    for (let round = 0; round < 5; round++) {
      await terminate(name).execute(stranger)
      await delay(faultMs / 5)
    }
  },
  'a database that takes no writes': async (stranger, name) => {
    const set = async (change: string) => {
      await sql.raw(`alter database "${name}" ${change}`).execute(stranger)
      await terminate(name).execute(stranger)
    }
    await set('set default_transaction_read_only = on')
    await delay(faultMs)
    await sql`set default_transaction_read_only = off`.execute(stranger)
    await set('reset default_transaction_read_only')
  },
}

describe('a service under load whose database fails', () => {
  const lines: string[] = []
  let scene: Scene
  let load: Load
  before(async () => {
    scene = await startScene((line) => lines.push(line))
    load = keepTriggering(scene)
  })
  after(async () => {
    await load[Symbol.asyncDispose]()
    await scene[Symbol.asyncDispose]()
  })

  for (const [what, fault] of Object.entries(faults)) {
    it(`goes on by itself after ${what}`, async () => {
      const ended = await countCompleted(scene)
      await until('runs end under load', 20_000, async () => (await countCompleted(scene)) > ended)
      await fault(scene.stranger, scene.name)

      await until('a new run is accepted and ends', 20_000, async () => {
        const id = await trigger(scene)
        if (id === undefined) return false
        const { body } = await scene.call('GET', `/v1/runs/${id}?wait=10`)
        return body.data?.status === 'completed'
      })
      await until('it is ready', 10_000, async () => {
        const { status } = await scene.call('GET', '/readyz')
        return status === 200
      })
    })
  }

  it('has answered in the form of the contract, and met no transaction that another left', () => {
    assert.deepEqual(load.flaws, [])
    assert.deepEqual(
      lines.filter((line) => line.includes('25P02')),
      [],
    )
  })
})

interface Scene extends AsyncDisposable {
  call: TestApp['call']
  workflowId: string
  database: Database
  stranger: Database
  /** Of the database. */
  name: string
}

async function startScene(onLine: (line: string) => void): Promise<Scene> {
  await using stack = new AsyncDisposableStack()
  const stream = { write: (line: string) => onLine(line) }
  const app = stack.use(await startTestApp({ role: 'api', log: pino({ level: 'warn' }, stream) }))
  const url = new URL(app.databaseUrl)
  const name = url.pathname.slice(1)
  url.searchParams.set('statement_timeout', String(statementMs))
  const impatient = stack.use(
    await app.startAnother('all', { DATABASE_URL: url.href, MUSTER_LEASE_SECONDS: '1' }),
  )
  const call: TestApp['call'] = (method, path, options) =>
    callApi(impatient.url as string, app.key, method, path, options)
  const crew = [{ role: 'r', systemPrompt: 's' }]
  const { body } = await app.call('POST', '/v1/workflows', { body: { name: 'w', crew } })
  const stranger = createDatabase(createPool(app.databaseUrl, 1))
  stack.defer(() => stranger.destroy())
  const all = stack.move()
  return {
    call,
    workflowId: body.data.id,
    database: app.database,
    stranger,
    name,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function trigger({ call, workflowId }: Scene): Promise<string | undefined> {
  const path = `/v1/workflows/${workflowId}/runs`
  const { status, body } = await call('POST', path, { body: { input: 'x' } })
  if (status === 202) return body.data.id
  // Whatever happens, the answer is one of the contract.
  assert.deepEqual([status, body.error.code], [503, 'database_unavailable'], JSON.stringify(body))
  return undefined
}

interface Load extends AsyncDisposable {
  /** What nobody should have been answered. */
  flaws: unknown[]
}

function keepTriggering(scene: Scene): Load {
  const flaws: unknown[] = []
  const startClient = (): Loop =>
    loop({
      everyMs: 20,
      tick: async () => void (await trigger(scene)),
      onError: (error) => flaws.push(error),
    })
  const clients = Array.from({ length: 4 }, startClient)
  return {
    flaws,
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.stop()))
    },
  }
}

async function countCompleted({ database }: Scene): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from runs where status = 'completed'`.execute(database)
  return rows[0]?.count ?? 0
}
