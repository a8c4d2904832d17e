import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../../rig/until.ts'
import { actOnce, clerkFixture, write, type ToolCall } from '../../../test/clerk.ts'
import { onCitus } from '../../db/cluster/test-citus.ts'
import { countBlocked } from '../../db/test-locks.ts'
import { prepare } from '../../../test/fixture.ts'
import { pluck } from '../../../test/pluck.ts'

/**
 * The known outcome of an action is recorded even if the database is unavailable when the call
 * ends.
 */
const clerk = clerkFixture({ env: { MUSTER_LEASE_SECONDS: '1' } }, [])
const { app, sink } = clerk
prepare(() => sql.raw('create sequence refusals').execute(app.database))
afterEach(async () => {
  sink.onCall = undefined
  await sql.raw('drop function if exists refuse cascade').execute(app.database)
})

/** Makes writes to a table fail while the condition holds, as if the database was unavailable. */
async function refuse(table: string, on: string, condition: string): Promise<void> {
  await sql
    .raw(
      `alter sequence refusals restart;
       create function refuse() returns trigger language plpgsql as $$ begin
         if ${condition} then
           perform nextval('refusals');
           raise exception using errcode = '57P03';
         end if;
         return new;
       end $$;
       create trigger refuse before ${on} on ${table} for each row execute function refuse()`,
    )
    .execute(app.database)
}

const isFirst = `(select not is_called from refusals)`
const refused = async (): Promise<boolean> =>
  (await app.row`select is_called from refusals`).is_called

/** A run whose calls need no approval, except to repeat one with an unknown outcome. */
async function trigger(...calls: ToolCall[]): Promise<string> {
  app.answer = actOnce(...calls)
  return app.trigger(await clerk.createWorkflow({ enabled: true, approvals: 'never' }))
}

const endings = async (runId: string): Promise<number> =>
  (await app.sql`select from events where run_id = ${runId} and type = 'tool.completed'`).length

const skip = onCitus('its tables take no triggers')

describe('the outcome of an action', { skip }, () => {
  it('is not forgotten where the database is away at that moment', async () => {
    sink.calls.length = 0
    await refuse('tool_calls', 'update', `new.status = 'succeeded' and ${isFirst}`)
    const id = await trigger(write('x'))
    const run = await app.rest(id)
    assert.equal(await refused(), true)
    assert.deepEqual(
      [run.status, run.output],
      ['completed', 'done: written: x'],
      run.pending?.prompt,
    )
    assert.deepEqual([sink.calls.length, await endings(id)], [1, 1])
  })

  it('is recorded once, where it was written and only that was not told', async () => {
    await refuse(
      'tool_calls',
      'update',
      `new.status = 'succeeded' and current_setting('test.writes', true) is distinct from 'yes'`,
    )
    const id = await trigger(write('x'))
    await until('the outcome is refused', 10_000, refused)
    await app.database.transaction().execute(async (transaction) => {
      await sql`select set_config('test.writes', 'yes', true)`.execute(transaction)
      await sql`
        insert into events (account_id, run_id, sequence, id, type, data)
        select account_id, id, last_sequence + 1, 'evt_1', 'tool.completed', '{}' from runs
        where id = ${id} for update`.execute(transaction)
      await sql`
        update tool_calls set status = 'succeeded', output = 'written: x', finished_at = now()
        where run_id = ${id}`.execute(transaction)
      await sql`update runs set last_sequence = last_sequence + 1 where id = ${id}`.execute(
        transaction,
      )
    })
    const run = await app.rest(id)
    assert.deepEqual(
      [run.status, run.output],
      ['completed', 'done: written: x'],
      run.pending?.prompt,
    )
    assert.equal(await endings(id), 1)
  })

  it('is recorded where its run is cancelled at that moment as well', async () => {
    const held = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    sink.onCall = (_, reply) => {
      arrived.resolve()
      void held.promise.then(reply)
    }
    await refuse('tool_calls', 'update', `new.status = 'succeeded' and ${isFirst}`)
    const id = await trigger(write('x'))
    await arrived.promise
    await app.database.transaction().execute(async (transaction) => {
      await sql`select from runs where id = ${id} for update`.execute(transaction)
      void app.call('POST', `/v1/runs/${id}/cancel`)
      const areBlocked = (count: number) => async () => (await countBlocked(app.database)) >= count
      await until('the cancellation waits', 10_000, areBlocked(1))
      held.resolve()
      await until('the outcome waits', 10_000, areBlocked(2))
    })
    assert.equal((await app.rest(id)).error_code, 'cancelled')
    await until('the outcome is refused', 10_000, refused)
    await until('the outcome is recorded', 10_000, async () => {
      const [call] = (await app.rest(id)).steps[0].tool_calls
      return call.status === 'succeeded' && call.output === 'written: x'
    })
  })

  it('is waited for, though another call of the turn could not be recorded', async () => {
    const held = Promise.withResolvers<void>()
    sink.onCall = (_, reply) => void held.promise.then(reply)
    await refuse('memory_entries', 'insert', isFirst)
    const id = await trigger({ name: 'remember', arguments: { content: 'A note.' } }, write('x'))
    await until('the note is refused', 10_000, refused)
    const look = async () => {
      const [found = { attempt: 0, until: null }] = await app.sql`
        select attempt, lease_until as until from runs join jobs on jobs.run_id = runs.id
        where runs.id = ${id}`
      return found
    }
    const { attempt, until: first } = await look()
    // Longer than a lease: a released run has been taken again by then.
    await until('the lease is renewed, or the run taken anew', 10_000, async () => {
      const now = await look()
      return now.attempt > attempt || Number(now.until) > Number(first) + 2_000
    })
    held.resolve()
    const run = await app.rest(id)
    const statuses = pluck(run.steps[0].tool_calls, 'status')
    assert.deepEqual(statuses, ['succeeded', 'succeeded'], run.pending?.prompt)
  })
})
