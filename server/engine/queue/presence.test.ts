import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { fixture } from '../../../test/fixture.ts'
import { until } from '../../../rig/until.ts'
import type { Database } from '../../db/client.ts'
import { Notices } from '../../db/notices.ts'
import { execute } from '../../db/run.ts'
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts'
import { leaseTimes } from './jobs.ts'
import { Presence } from './presence.ts'
import { Queue } from './queue.ts'

const testDatabase = fixture<TestDatabase>(() => createTestDatabase())

describe('the presence of a process', () => {
  it('ends with its session, once it has registered no more for a second', async () => {
    await using stage = await Stage.open()
    const { presence, notices, worker } = await stage.start()
    const { presence: other } = await stage.start()
    await presence.announce()
    await stage.pass(worker, 60)
    assert.deepEqual(await other.findGone(), [])
    assert.equal((await other.workers()).alive, 0)
    await presence.announce()
    assert.equal((await other.workers()).alive, 1)
    await notices[Symbol.asyncDispose]()
    await until('its session has ended', 5_000, async () => !(await stage.isOfServer(worker)))
    await stage.hold(worker)
    assert.deepEqual(await other.findGone(), [])
    await stage.pass(worker, 2)
    assert.deepEqual(await other.findGone(), [worker])
    assert.equal((await other.workers()).alive, 0)
    await other.forget([worker])
    assert.deepEqual(await other.findGone(), [])
  })

  it('does not end where its session alone was cut: it registers again, and holds its lock again', async () => {
    await using stage = await Stage.open()
    const { presence, worker, notices } = await stage.start()
    const { presence: other } = await stage.start()
    await presence.announce()
    await stage.cut(worker)
    await until('its leases alone tell', 5_000, async () => !(await stage.isOfServer(worker)))
    await stage.pass(worker, 60)
    assert.deepEqual(await other.findGone(), [])
    await until('it listens again', 5_000, () => Promise.resolve(notices.isListening))
    await presence.announce()
    assert.ok(await stage.isOfServer(worker))
    await stage.pass(worker, 60)
    assert.deepEqual(await other.findGone(), [])
  })

  it('is not judged by a process that lost its own session just now, or has none', async () => {
    await using stage = await Stage.open()
    await stage.addGone('gone')
    const { presence, worker, notices } = await stage.start()
    assert.deepEqual(await presence.findGone(), ['gone'])
    await presence.announce()
    await stage.cut(worker)
    await until('its session has ended', 5_000, async () => !(await stage.isOfServer(worker)))
    assert.deepEqual(await presence.findGone(), [])
    await until('it listens again', 5_000, () => Promise.resolve(notices.isListening))
    assert.deepEqual(await presence.findGone(), [])
    const { database, supervision } = stage
    const alone = new Presence({ worker: 'alone', database, supervision, notices: undefined })
    assert.deepEqual(await alone.findGone(), [])
  })

  it('on a server that was started at another time is told by its leases alone', async () => {
    await using stage = await Stage.open()
    await stage.addGone('elsewhere')
    await sql`update workers set server_started_at = now() where id = 'elsewhere'`.execute(
      stage.database,
    )
    await sql`insert into workers (id, seen_at) values ('before', now() - interval '10 seconds')`.execute(
      stage.database,
    )
    const { presence } = await stage.start()
    assert.deepEqual(await presence.findGone(), [])
    assert.equal((await presence.workers()).alive, 1)
  })
})

it('jobs of a process that is gone are ready at once, and those of others keep their leases', async () => {
  await using stage = await Stage.open()
  const { database, supervision } = stage
  await stage.addGone('gone')
  for (const worker of ['gone', 'silent']) {
    const insert = sql`
      insert into jobs (account_id, run_id, begun, worker, lease_until)
      values ('acc_1', ${worker}, true, ${worker}, now() + interval '1 minute')`
    await execute(database, 'acc_1', insert)
  }
  const notices = new Notices(testDatabase.url)
  stage.stack.use(notices)
  const queue = await Queue.open({ database, supervision, times: leaseTimes(60_000), notices })
  await until('it listens', 5_000, () => Promise.resolve(notices.isListening))
  let woken = 0
  queue.onWake(() => woken++)
  await queue.sweepGone()
  const { rows } = await sql<{ run_id: string }>`
    select run_id from jobs where worker is null`.execute(database)
  assert.deepEqual(rows, [{ run_id: 'gone' }])
  assert.ok(woken > 0)
})

/** The processes of a test, which share a database. */
class Stage implements AsyncDisposable {
  readonly stack = new AsyncDisposableStack()
  readonly database: Database
  readonly supervision: Database

  private constructor() {
    this.database = testDatabase.open(2)
    this.supervision = testDatabase.open(2)
    this.stack.defer(() => this.database.destroy())
    this.stack.defer(() => this.supervision.destroy())
  }

  static async open(): Promise<Stage> {
    const stage = new Stage()
    for (const table of ['workers', 'jobs'])
      await sql`delete from ${sql.table(table)}`.execute(stage.database)
    return stage
  }

  async start(): Promise<{ presence: Presence; notices: Notices; worker: string }> {
    const worker = randomUUID()
    const notices = new Notices(testDatabase.url, { retryMs: 20 })
    this.stack.use(notices)
    const { database, supervision } = this
    const presence = new Presence({ worker, database, supervision, notices })
    await until('it listens', 5_000, () => Promise.resolve(notices.isListening))
    return { presence, notices, worker }
  }

  /** A process that held its lock on this server and died. */
  async addGone(worker: string): Promise<void> {
    await sql`
      insert into workers (id, seen_at, server_started_at)
      values (${worker}, now() - interval '2 seconds', pg_postmaster_start_time())`.execute(
      this.database,
    )
  }

  /** As if it had died before it could say that it lost its session. */
  async hold(worker: string): Promise<void> {
    await sql`
      update workers set server_started_at = pg_postmaster_start_time(), seen_at = now()
      where id = ${worker}`.execute(this.database)
  }

  async pass(worker: string, seconds: number): Promise<void> {
    await sql`
      update workers set seen_at = now() - make_interval(secs => ${seconds}) where id = ${worker}`.execute(
      this.database,
    )
  }

  /** Ends the session on which it listens. */
  async cut(worker: string): Promise<void> {
    await sql`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and objid = (hashtext(${worker})::bigint & 4294967295)::oid`.execute(
      this.database,
    )
  }

  async isOfServer(worker: string): Promise<boolean> {
    const { rows } = await sql<{ isOfServer: boolean }>`
      select server_started_at is not null as "isOfServer" from workers where id = ${worker}`.execute(
      this.database,
    )
    return rows[0]?.isOfServer === true
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stack.disposeAsync()
  }
}
