import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { until } from '../../../rig/until.ts'
import { sql } from 'kysely'
import { countBlocked } from '../../db/test-locks.ts'
import { claimOf } from '../../work/table.ts'
import { deliveries, type ClaimedDelivery } from './definition.ts'
import { recordAttempts, type AttemptRecord } from './delivery-store.ts'
import { databaseFixture } from '../../../test/fixture.ts'
import { pluck } from '../../../test/pluck.ts'

const database = databaseFixture(5)
beforeEach(() => sql`truncate accounts cascade`.execute(database))

/** Makes accounts with endpoints, each with pending deliveries. */
async function fill(accounts: number, endpoints: number, deliveries: number): Promise<void> {
  await sql`
    insert into accounts (id, name)
    select 'acc_' || a, 'a' from generate_series(1, ${accounts}::int) as a`.execute(database)
  await sql`
    insert into webhook_endpoints (id, account_id, url, events, secret)
    select 'whk_' || lpad(a::text, 4, '0') || '_' || e, 'acc_' || a, 'https://x', '{run.failed}', ''
    from generate_series(1, ${accounts}::int) as a, generate_series(1, ${endpoints}::int) as e
  `.execute(database)
  await sql`
    insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event_type, snapshot)
    select new_id('dlv'), account_id, id, 'evt_' || d, 'run.failed', '{}'
    from webhook_endpoints, generate_series(1, ${deliveries}::int) as d`.execute(database)
}

async function claim(count = 1_000): Promise<ClaimedDelivery[]> {
  const limits = { count, perAccount: 50, busy: [] }
  return (await claimOf(deliveries)(database, limits, '')).items
}

describe('claiming deliveries', () => {
  it('takes ten of an endpoint', async () => {
    await fill(1, 1, 30)
    assert.equal((await claim()).length, 10)
  })

  it('passes over endpoints that are not active and deliveries that are not due', async () => {
    await fill(1, 2, 2)
    await sql`update webhook_endpoints set active = false where id like '%_1'`.execute(database)
    await sql`
      update webhook_deliveries set next_attempt_at = now() + interval '1 hour'
      where id in (select id from webhook_deliveries where endpoint_id like '%_2' limit 1)
    `.execute(database)
    assert.equal((await claim()).length, 1)
  })

  it('finds what can be sent behind accounts whose endpoints are off', async () => {
    await fill(4, 1, 1)
    await sql`update webhook_endpoints set active = false where account_id <> 'acc_4'`.execute(
      database,
    )
    await sql`
      update webhook_deliveries set next_attempt_at = now() - interval '1 hour'
      where account_id <> 'acc_4'`.execute(database)
    assert.deepEqual(pluck(await claim(1), 'accountId'), ['acc_4'])
  })
})

function failed(id: string, lane: string): AttemptRecord {
  const delivery = { id, accountId: 'acc_1', lane, isManual: false, scheduledAttempts: 0 }
  const attempt = {
    at: new Date().toISOString(),
    response_status: 500,
    response_body: '',
    duration_ms: 1,
    error: 'the receiver answered 500',
    trigger: 'scheduled',
  } as const
  return { delivery, attempt, next: { kind: 'failed', isFailedEvent: true } }
}

const readEndpoint = async () => {
  const columns = ['active', 'disabled_at', 'updated_at', 'consecutive_failures'] as const
  return database.selectFrom('webhook_endpoints').select(columns).executeTakeFirstOrThrow()
}

describe('recording attempts', () => {
  it('does not wait for runs that write deliveries to the same endpoint', async () => {
    await fill(1, 1, 1)
    const claimed = await claim()
    const { id, lane } = claimed[0] ?? { id: '', lane: '' }
    await database.transaction().execute(async (transaction) => {
      await sql`
        insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event_type, snapshot)
        select 'dlv_new', account_id, id, 'evt_new', 'run.failed', '{}' from webhook_endpoints
      `.execute(transaction)
      await recordAttempts(database, [failed(id, lane)], 10)
    })
    assert.equal((await readEndpoint()).consecutive_failures, 1)
  })

  it('leaves delivered what another process delivered after the claim had expired', async () => {
    await fill(1, 1, 1)
    const claimed = await claim()
    const late = failed(claimed[0]?.id ?? '', claimed[0]?.lane ?? '')
    await recordAttempts(database, [{ ...late, next: { kind: 'succeeded' } }], 10)
    await recordAttempts(database, [{ ...late, next: { kind: 'pending', delaySeconds: 5 } }], 10)
    const delivery = await database
      .selectFrom('webhook_deliveries')
      .select(['status', 'next_attempt_at', sql<number>`jsonb_array_length(attempts)`.as('count')])
      .executeTakeFirstOrThrow()
    assert.deepEqual(delivery, { status: 'succeeded', next_attempt_at: null, count: 2 })
  })

  it('counts no event as failed that was delivered meanwhile, and none twice', async () => {
    await fill(1, 1, 2)
    const claimed = await claim()
    const [one, other] = claimed.map(({ id, lane }) => failed(id, lane))
    assert.ok(one !== undefined && other !== undefined)
    await recordAttempts(database, [{ ...one, next: { kind: 'succeeded' } }], 10)
    await recordAttempts(database, [one], 10)
    assert.equal((await readEndpoint()).consecutive_failures, 0)
    // Two processes made the last attempt, and both failed.
    await recordAttempts(database, [other], 10)
    await recordAttempts(database, [other], 10)
    assert.equal((await readEndpoint()).consecutive_failures, 1)
    await recordAttempts(database, [{ ...other, next: { kind: 'pending', delaySeconds: 5 } }], 10)
    const delivery = await database
      .selectFrom('webhook_deliveries')
      .select(['status', 'next_attempt_at'])
      .where('id', '=', other.delivery.id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(delivery, { status: 'failed', next_attempt_at: null })
  })

  it('counts failures of several processes that record them at once', async () => {
    await fill(1, 1, 2)
    const claimed = await claim()
    const records = claimed.map(({ id, lane }) => failed(id, lane))
    const recording = await database.transaction().execute(async (transaction) => {
      await sql`update webhook_endpoints set consecutive_failures = 3`.execute(transaction)
      const all = Promise.all(records.map((one) => recordAttempts(database, [one], 10)))
      await until('both wait', 20_000, async () => (await countBlocked(database)) >= 2)
      return { all }
    })
    await recording.all
    assert.equal((await readEndpoint()).consecutive_failures, 5)
  })

  it('tells when an endpoint was switched off as the time of its last update', async () => {
    await fill(1, 1, 2)
    const claimed = await claim()
    const [one, other] = claimed.map(({ id, lane }) => failed(id, lane))
    const before = await readEndpoint()
    await recordAttempts(database, [one as AttemptRecord], 2)
    assert.deepEqual((await readEndpoint()).updated_at, before.updated_at)
    await recordAttempts(database, [other as AttemptRecord], 2)
    const { active, disabled_at, updated_at } = await readEndpoint()
    assert.equal(active, false)
    assert.deepEqual(updated_at, disabled_at)
    assert.ok(updated_at > before.updated_at)
  })

  it('keeps the last attempt as the last, whichever of two ends first', async () => {
    await fill(1, 1, 4)
    const claimed = await claim()
    const attempt = (place: number, at: string, status: number): AttemptRecord => {
      const { id = '', lane = '' } = claimed[place] ?? {}
      const record = failed(id, lane)
      return { ...record, attempt: { ...record.attempt, at, response_status: status } }
    }
    const late = attempt(0, '2026-01-02T10:00:00.000Z', 0)
    const early = attempt(1, '2026-01-02T10:00:14.000Z', 200)
    const lastOf = () =>
      database
        .selectFrom('webhook_endpoints')
        .select(['last_delivery_at', 'last_delivery_status'])
        .executeTakeFirstOrThrow()
    const last = { last_delivery_at: new Date(early.attempt.at), last_delivery_status: 200 }
    await recordAttempts(database, [early], 10)
    await recordAttempts(database, [late], 10)
    assert.deepEqual(await lastOf(), last)
    await sql`update webhook_endpoints set last_delivery_at = null`.execute(database)
    const together = [attempt(2, early.attempt.at, 200), attempt(3, late.attempt.at, 0)]
    await recordAttempts(database, together, 10)
    assert.deepEqual(await lastOf(), last)
    await sql`
      update webhook_endpoints set last_delivery_at = now() + interval '1 year'`.execute(database)
    await recordAttempts(database, [early], 10)
    assert.deepEqual(await lastOf(), last)
  })
})
