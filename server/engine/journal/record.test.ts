import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { until } from '../../../rig/until.ts'
import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import { createPlainDatabase } from '../../db/test-database.ts'
import { countBlocked } from '../../db/test-locks.ts'
import { endpoints, insertTestDelivery, markDeleted } from '../../sends/webhooks/store.ts'
import { abandon } from '../run/ledger.ts'
import { recordChange } from './record.ts'
import { applyChanges } from './boundary.ts'
import { failRun } from '../run/run.ts'
import { databaseFixture } from '../../../test/fixture.ts'

const database = databaseFixture(5, createPlainDatabase)
beforeEach(async () => {
  await sql`truncate accounts, events cascade`.execute(database)
  await sql`insert into accounts (id, name) values ('acc_1', 'a')`.execute(database)
  await sql`
    insert into runs (id, account_id, workflow_id, input)
    values ('run_1', 'acc_1', 'wf_1', 'hello')`.execute(database)
  await sql`
    insert into webhook_endpoints (id, account_id, url, events, secret)
    select 'whk_' || number, 'acc_1', 'https://x', '{run.started}', ''
    from generate_series(1, 2) as number`.execute(database)
})

/** Changes the run and writes its deliveries in one statement, as runs do. */
async function changeRun(): Promise<void> {
  await sql`
    with changed as (
      update runs set last_sequence = last_sequence + 1 where id = 'run_1'
      returning id, account_id, last_sequence, runs as run, 1 as event_count,
                '[{"id":"evt_1","type":"run.started","data":{}}]'::json as events
    ), ${recordChange(undefined)}
    select from changed`.execute(database)
}

/** Both steps of a deletion; the background loop takes the second one. */
async function deleteFirst(executor: Database): Promise<boolean> {
  await markDeleted(executor, 'acc_1', 'whk_1')
  return (await endpoints.delete(executor, 'acc_1', { id: 'whk_1' })) !== undefined
}

/** Changes the run; `meanwhile` is committed after the statement has started. */
async function changeRunWhile(meanwhile: () => Promise<unknown>): Promise<void> {
  let change: Promise<void> | undefined
  await database.transaction().execute(async (transaction) => {
    await sql`select from runs for update`.execute(transaction)
    change = changeRun()
    await untilOneWaits()
    await meanwhile()
  })
  await change
}

const untilOneWaits = (): Promise<void> =>
  until('a statement waits', 20_000, async () => (await countBlocked(database)) > 0, 5)

const readDeliveries = async () =>
  database
    .selectFrom('webhook_deliveries')
    .select(['endpoint_id', 'snapshot'])
    .orderBy('endpoint_id')
    .execute()
const deliveredTo = async () => (await readDeliveries()).map((one) => one.endpoint_id)

describe('writing deliveries', () => {
  it('passes over an endpoint that is deleted after the statement began', async () => {
    await changeRunWhile(() => deleteFirst(database))
    assert.deepEqual(await deliveredTo(), ['whk_2'])
  })

  it('waits for a deletion that has begun, and passes over the endpoint', async () => {
    let change: Promise<void> | undefined
    await database.transaction().execute(async (transaction) => {
      await deleteFirst(transaction)
      change = changeRun()
      await untilOneWaits()
    })
    await change
    assert.deepEqual(await deliveredTo(), ['whk_2'])
  })

  it('does not wait while a long history is deleted', async () => {
    await changeRun()
    let deletion: Promise<boolean> | undefined
    await database.transaction().execute(async (transaction) => {
      await sql`select from webhook_deliveries for update`.execute(transaction)
      deletion = deleteFirst(database)
      await untilOneWaits()
      await changeRun()
    })
    assert.equal(await deletion, true)
    assert.deepEqual(await deliveredTo(), ['whk_2', 'whk_2'])
  })

  it('is whole where a deletion waits for it', async () => {
    let deletion: Promise<boolean> | undefined
    await database.transaction().execute(async (transaction) => {
      await sql`select from webhook_endpoints for key share`.execute(transaction)
      await changeRun()
      deletion = deleteFirst(database)
      await untilOneWaits()
    })
    assert.equal(await deletion, true)
    assert.deepEqual(await deliveredTo(), ['whk_2'])
  })

  it('neither waits for nor minds the outcome of an attempt that is recorded meanwhile', async () => {
    const record = (executor: Database) =>
      sql`update webhook_endpoints set last_delivery_status = 200`.execute(executor)
    await database.transaction().execute(async (transaction) => {
      await record(transaction)
      await changeRun()
    })
    await changeRunWhile(() => record(database))
    const deliveries = await readDeliveries()
    const sent = deliveries.map(({ endpoint_id, snapshot }) => {
      const { id, workflow_id, sequence } = snapshot as Record<string, unknown>
      return [endpoint_id, id, workflow_id, sequence]
    })
    assert.deepEqual(
      sent.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
      ['whk_1', 'whk_2'].flatMap((one) =>
        [1, 2].map((sequence) => [one, 'run_1', 'wf_1', sequence]),
      ),
    )
  })
})

describe('a test event', () => {
  it('finds nothing where its endpoint is being deleted', async () => {
    const delivery = { id: 'dlv_1', eventId: 'evt_1', snapshot: {} }
    let insert: ReturnType<typeof insertTestDelivery> | undefined
    await database.transaction().execute(async (transaction) => {
      await deleteFirst(transaction)
      insert = insertTestDelivery(database, 'acc_1', 'whk_1', delivery)
      await untilOneWaits()
    })
    assert.equal(await insert, undefined)
  })
})

describe('the open calls of a run that fails', () => {
  it('are abandoned as the pure rule says', async () => {
    const open = ['proposed', 'approved', 'executing', 'unknown'] as const
    const calls = open.flatMap((status) =>
      [true, false].map((sensitive) => ({ status, sensitive, tool: 'a.b' })),
    )
    await sql`
      insert into tool_calls (account_id, run_id, step_position, turn, position, id,
                              provider_call_id, tool, sensitive, input, status, started_at, unknown_reason)
      select 'acc_1', 'run_1', 0, 0, number, 'call_' || number, 'c', tool, sensitive, '{}', status,
             now(), case when status = 'unknown' then 'cut off' end
      from json_to_recordset(${JSON.stringify(
        calls.map((one, number) => ({ ...one, number })),
      )}::json) as one (number int, tool text, sensitive boolean, status text)`.execute(database)
    const fence = { accountId: 'acc_1', runId: 'run_1', attempt: 0 }
    const failure = { code: 'cancelled', message: 'stopped' } as const
    assert.deepEqual(await applyChanges(database, [failRun(fence, failure)]), [true])
    const left = await database
      .selectFrom('tool_calls')
      .select(['status', 'output', 'decision'])
      .orderBy('position')
      .execute()
    assert.deepEqual(
      left,
      calls.map((one) => {
        const unknownReason = one.status === 'unknown' ? 'cut off' : null
        return abandon({ ...one, output: null, decision: null, unknownReason })
      }),
    )
  })
})
