import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { echo, startTestApp } from '../../test/test-app.ts'
import { Pruner, type Retention } from './retention.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { passTime } from '../../test/pass-time.ts'

let workflowId: string

const none: Retention = {
  eventsDays: 0,
  transcriptsDays: 0,
  deliveriesDays: 0,
  auditDays: 0,
  runsDays: 0,
}

const app = fixture(() => startTestApp({ answer: echo }))
beforeEach(async () => {
  for (const table of ['runs', 'steps', 'events', 'webhook_endpoints', 'idempotency_keys']) {
    await app.sql`delete from ${sql.table(table)}`
  }
  workflowId = await app.createWorkflow()
})

async function prune(retention: Partial<Retention>): Promise<number> {
  const pruner = new Pruner(app.database, { ...none, ...retention }, (error) => {
    assert.fail(String(error))
  })
  let ticks = 1
  while (await pruner.tick()) ticks++
  return ticks
}

/** A run that the service completed, with its end moved this many days back. */
async function endedRun(daysAgo: number): Promise<string> {
  const path = `/v1/workflows/${workflowId}/runs`
  const body = { input: 'x', tags: { place: 'here' } }
  const { id } = await app.post(path, body)
  await app.call('GET', `/v1/runs/${id}?wait=30`)
  await app.sql`
    update runs set finished_at = now() - make_interval(days => ${daysAgo}),
                    created_at = now() - make_interval(days => ${daysAgo}) where id = ${id}`
  await app.sql`
    insert into step_turns (account_id, run_id, step_position, turn, message)
    select account_id, id, 0, 0, '{}' from runs where id = ${id}`
  return id
}

/** Open runs with ids older than any other, and with `events` events each. */
async function openRuns(count: number, events: number): Promise<void> {
  await app.sql`
    with made as (
      insert into runs (id, account_id, workflow_id, status, input, created_at)
      select 'run_000' || lpad(n::text, 23, '0'), (select id from accounts), ${workflowId},
             'running', 'x', now() - interval '1 year'
      from generate_series(1, ${sql.lit(count)}) as n returning id, account_id
    )
    insert into events (run_id, sequence, id, account_id, type, data)
    select id, number, 'evt', account_id, 'step.started', '{}'
    from made, generate_series(1, ${sql.lit(events)}) as number`
}

async function endpoint(): Promise<string> {
  const body = { url: 'https://127.0.0.1:1/', events: ['run.completed'] }
  const { data } = (await app.call('POST', '/v1/webhooks', { body })).body
  await app.call('PATCH', `/v1/webhooks/${data.id}`, { body: { active: false } })
  return data.id
}

async function delivery(
  endpointId: string,
  runId: string | null,
  status: 'pending' | 'succeeded' | 'failed',
  daysAgo: number,
): Promise<string> {
  const rows = await app.sql<{ id: string }>`
    insert into webhook_deliveries (id, account_id, endpoint_id, event_id, event_type, run_id,
                                    snapshot, status, next_attempt_at, created_at)
    select new_id('dlv'), account_id, id, 'evt', 'run.completed', ${runId}, '{}', ${status},
           case when ${status} = 'pending' then now() end,
           now() - make_interval(days => ${daysAgo})
    from webhook_endpoints where id = ${endpointId} returning id`
  return rows[0]?.id ?? ''
}

async function countOf(table: string, runId?: string): Promise<number> {
  const where = runId === undefined ? sql`true` : sql`run_id = ${runId}`
  return (await app.sql`select from ${sql.table(table)} where ${where}`).length
}

describe('retention', () => {
  it('deletes batches with their items as long after their end as runs, and bulk operations', async () => {
    await app.sql`
      insert into batches (account_id, id, workflow_id, concurrency, status, total, queued, created_by,
                           creator_name, due_at, finished_at)
      select ${app.accountId}, 'bat_' || days, ${workflowId}, 1, 'completed', 1, 0, 'key_a', 'a', null,
             now() - make_interval(days => days) from unnest(array[1, 9]) as days`
    await app.sql`
      insert into batch_items (account_id, batch_id, position, item, run_id)
      select account_id, id, 0, '{}', 'run_' || id from batches`
    await app.sql`
      insert into bulk_operations (account_id, id, action, filter, matched, created_by, creator_name, finished_at)
      select ${app.accountId}, 'blk_' || days, 'cancel', '{}', 0, 'key_a', 'a',
             now() - make_interval(days => days) from unnest(array[1, 9]) as days`
    await prune({ runsDays: 5, auditDays: 5 })
    for (const table of ['batches', 'bulk_operations'])
      assert.match((await app.row<{ id: string }>`select id from ${sql.table(table)}`).id, /_1$/)
    const items = await app.sql<{ batch_id: string }>`select batch_id from batch_items`
    assert.deepEqual(items, [{ batch_id: 'bat_1' }])
  })

  it('deletes events and transcripts by the age of the end of their run, each by its own', async () => {
    const old = await endedRun(40)
    const young = await endedRun(20)
    await prune({ eventsDays: 30, transcriptsDays: 10 })
    assert.equal(await countOf('events', old), 0)
    assert.equal(await countOf('events', young), 7)
    assert.equal(await countOf('step_turns'), 0)
    assert.equal((await app.get(`/v1/runs/${old}`)).steps.length, 2)
  })

  for (const [name, insert, table] of [
    [
      'the audit, of every account',
      sql`
        insert into audit (account_id, id, created_at, actor_type, actor_name, action, object_type,
                           object_id)
        select (select id from accounts limit 1), 'aud_' || n,
               now() - make_interval(days => n::int), 'system', 's', 'thing.made', 'thing', 'x_gone'
        from generate_series(0, 1500) as n`,
      'audit',
    ],
    [
      'the log of the operator, by the age of the audit',
      sql`
        insert into operator_log (id, created_at, action, object_id)
        select 'aud_' || n, now() - make_interval(days => n::int), 'account.updated', 'x_gone'
        from generate_series(0, 1500) as n`,
      'operator_log',
    ],
  ] as const) {
    it(`deletes what is old in ${name}`, async () => {
      await insert.execute(app.database)
      const left = async () =>
        (await app.sql`select from ${sql.table(table)} where object_id = 'x_gone'`).length
      await prune({ auditDays: 0 })
      assert.equal(await left(), 1_501)
      await prune({ auditDays: 400 })
      assert.equal(await left(), 400)
    })
  }

  it('keeps usage as long as runs, and at least 400 days', async () => {
    await app.sql`
      insert into usage_days (account_id, dimension, value, day, completed, failed, cancelled, steps,
                              tokens_in, tokens_out, cost_usd)
      select (select id from accounts limit 1), 'tag:old', 'x', current_date - n::int, 0, 0, 0, 1, 1, 1, 1
      from generate_series(0, 1500) as n`
    await app.sql`
      insert into usage_durations (account_id, dimension, value, day, bucket, count)
      select account_id, dimension, value, day, 90, 1 from usage_days where dimension = 'tag:old'`
    const left = async (dimension: string) => {
      const rows = await app.sql<{ rows: number; steps: number; durations: number }>`
        select rows, steps, durations
        from (select count(*)::int as rows, sum(steps)::int as steps
              from usage_days where dimension = ${dimension}) as days
        cross join (select sum(count)::int as durations
                    from usage_durations where dimension = ${dimension}) as timed`
      return rows[0] as { rows: number; steps: number; durations: number }
    }
    await prune({ runsDays: 0 })
    assert.equal((await left('tag:old')).rows, 1_501)
    for (const [runsDays, days] of [
      [500, 501],
      [30, 401],
    ] as const) {
      await prune({ runsDays })
      const { rows, steps, durations } = await left('tag:old')
      assert.deepEqual([rows, steps, durations], [days, days, days])
    }
  })

  it('leaves a run whose event stream ends at once and cleanly', async () => {
    const id = await endedRun(40)
    await prune({ eventsDays: 30 })
    const stream = await app.call('GET', `/v1/runs/${id}/events`)
    assert.equal(stream.status, 200)
    assert.equal(stream.body, ': open\n\n')
    const resumed = await app.call('GET', `/v1/runs/${id}/events`, {
      headers: { 'last-event-id': '3' },
    })
    assert.equal(resumed.body, ': open\n\n')
  })

  it('never deletes events of a run that has not ended, and passes over them', async () => {
    await openRuns(3, 1_200)
    const old = await endedRun(40)
    await prune({ eventsDays: 30, runsDays: 30 })
    assert.equal(await countOf('events'), 3_600)
    assert.equal((await app.call('GET', `/v1/runs/${old}`)).status, 404)
  })

  it('deletes in batches, also the many events of one run', async () => {
    const old = await endedRun(40)
    await app.sql`
      insert into events (run_id, sequence, id, account_id, type, data)
      select ${old}, n, 'evt', (select id from accounts), 'tool.started', '{}'
      from generate_series(8, 2507) as n`
    const young = await endedRun(1)
    // One batch to find the account, three for its events.
    assert.equal(await prune({ eventsDays: 30 }), 4)
    assert.equal(await countOf('events'), await countOf('events', young))
  })

  it('deletes deliveries that are old and made, and no other', async () => {
    const endpointId = await endpoint()
    const runId = await endedRun(40)
    const made = await delivery(endpointId, runId, 'succeeded', 31)
    const kept = [
      await delivery(endpointId, null, 'pending', 31),
      await delivery(endpointId, runId, 'failed', 29),
    ]
    await prune({ deliveriesDays: 30 })
    const { data } = (await app.call('GET', `/v1/webhooks/${endpointId}/deliveries`)).body
    assert.deepEqual(new Set(pluck(data, 'id')), new Set(kept))
    assert.equal(data.length, kept.length)
    await app.call('PATCH', `/v1/webhooks/${endpointId}`, { body: { active: true } })
    const path = `/v1/webhooks/${endpointId}/deliveries/${made}/redeliver`
    assert.equal((await app.call('POST', path)).status, 404)
  })

  it('deletes whole runs with all that is theirs, unless a delivery is still to be made', async () => {
    const endpointId = await endpoint()
    const old = await endedRun(40)
    const owing = await endedRun(40)
    const young = await endedRun(20)
    await delivery(endpointId, old, 'succeeded', 40)
    const pending = await delivery(endpointId, owing, 'pending', 40)
    await prune({ runsDays: 30 })
    const left = await app.get(`/v1/workflows/${workflowId}/runs`)
    assert.deepEqual(pluck(left, 'id'), [young, owing])
    for (const table of ['steps', 'events', 'step_turns', 'run_marks']) {
      assert.equal(await countOf(table, old), 0)
      assert.ok((await countOf(table, owing)) > 0)
    }
    const { data } = (await app.call('GET', `/v1/webhooks/${endpointId}/deliveries`)).body
    assert.deepEqual(pluck(data, 'id'), [pending])
  })

  it('keeps for ever what it is told to keep', async () => {
    const old = await endedRun(10_000)
    await prune({})
    assert.equal(await countOf('events', old), 7)
    assert.equal(await countOf('step_turns', old), 1)
  })

  it('forgets idempotency keys after 24 hours', async () => {
    const headers = { 'idempotency-key': 'k' }
    await app.call('POST', '/v1/workflows', { body: { name: 'w' }, headers })
    await prune({})
    assert.equal(await countOf('idempotency_keys'), 1)
    await passTime(app.database, '25 hours')
    await prune({})
    assert.equal(await countOf('idempotency_keys'), 0)
  })

  it('may run in several processes at once', async () => {
    const old = await endedRun(40)
    await app.sql`
      insert into events (run_id, sequence, id, account_id, type, data)
      select ${old}, n, 'evt', (select id from accounts), 'tool.started', '{}'
      from generate_series(8, 5000) as n`
    await Promise.all([1, 2, 3].map(() => prune({ eventsDays: 30, runsDays: 35 })))
    // A prune that finds another one running leaves the rest to the next round.
    await prune({ eventsDays: 30, runsDays: 35 })
    assert.equal(await countOf('events'), 0)
    assert.equal(await countOf('runs'), 0)
  })
})

it('deletes attempts to sign in whose window is over, whoever made them, and keeps the others', async () => {
  for (const [subject, minutes] of [
    ['over', -1],
    ['open', 1],
  ] as const) {
    await app.sql`
      insert into sign_in_attempts (subject, attempts, window_ends_at)
      values (${Buffer.from(subject)}, 1, now() + make_interval(mins => ${minutes}))`
  }
  await prune({})
  const rows = await app.sql<{ subject: Buffer }>`select subject from sign_in_attempts`
  assert.deepEqual(
    rows.map(({ subject }) => subject.toString()),
    ['open'],
  )
})

it('deletes invitations 30 days after they expired, whether they were accepted or not', async () => {
  await app.sql`
    insert into invitations (account_id, id, email, role, token_hash, created_at, expires_at, accepted_at)
    select (select id from accounts limit 1), 'inv_' || n, n || '@example.com', 'viewer',
           decode(lpad(n::text, 8, '0'), 'hex'), at - interval '7 days', at, case when n % 2 = 0 then at end
    from generate_series(0, 1500) as n,
    lateral (select now() + interval '1 hour' - make_interval(days => n::int) as at) as time`
  await prune({})
  const rows = await app.sql<{ id: string }>`
    select id from invitations order by expires_at desc`
  assert.deepEqual(
    pluck(rows, 'id'),
    Array.from({ length: 31 }, (_, days) => `inv_${days}`),
  )
})
