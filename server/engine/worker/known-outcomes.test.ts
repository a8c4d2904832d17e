import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { clerk, startMcpSink } from '../../../rig/mcp-sink.ts'
import { until } from '../../../rig/until.ts'
import { callTools, complete, startTestApp, toolResults } from '../../../test/test-app.ts'
import { onCitus } from '../../db/test-citus.ts'
import { countBlocked } from '../../db/test-locks.ts'
import { prepare, fixture } from '../../../test/fixture.ts'
import { pluck } from '../../../test/pluck.ts'

let workflowId: string
let calls: Parameters<typeof callTools>[1] = []

const sink = fixture(() => startMcpSink())
/** What is known of an action is written, though the database is away when it is to be. */
const app = fixture(() =>
  startTestApp({
    env: { MUSTER_LEASE_SECONDS: '1' },
    answer: (request, response) =>
      request.messages.at(-1)?.role === 'tool'
        ? complete(response, `done: ${toolResults(request).join(' | ')}`)
        : callTools(response, calls),
  }),
)
prepare(async () => {
  await app.call('PUT', '/v1/connectors/sink', { body: { kind: 'mcp', url: sink.url } })
  const { id: agentId } = await app.post('/v1/agents', clerk)
  const crew = [{ role: 'clerk', systemPrompt: 'act', agentId }]
  // Somebody is asked about what is not known.
  const human_in_the_loop = { enabled: true, approvals: 'never' }
  workflowId = await app.createWorkflow({ crew, human_in_the_loop })
  await sql.raw('create sequence refusals').execute(app.database)
})
afterEach(async () => {
  sink.onCall = undefined
  await sql.raw('drop function if exists refuse cascade').execute(app.database)
})

/** The database is away for whoever writes this, where the condition holds. */
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
const refused = async (): Promise<boolean> => {
  const rows = await app.sql<{ is_called: boolean }>`select is_called from refusals`
  return rows[0]?.is_called === true
}

const trigger = async (): Promise<string> => await app.trigger(workflowId, 'go')
const write = { name: 'sink__write', arguments: { text: 'x' } }

async function endings(runId: string): Promise<number> {
  const rows = await app.sql`
    select from events where run_id = ${runId} and type = 'tool.completed'`
  return rows.length
}

const skip = onCitus('its tables take no triggers')

describe('the outcome of an action', { skip }, () => {
  it('is not forgotten where the database is away at that moment', async () => {
    calls = [write]
    sink.calls.length = 0
    await refuse('tool_calls', 'update', `new.status = 'succeeded' and ${isFirst}`)
    const id = await trigger()
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
    calls = [write]
    await refuse(
      'tool_calls',
      'update',
      `new.status = 'succeeded' and current_setting('test.writes', true) is distinct from 'yes'`,
    )
    const id = await trigger()
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
    calls = [write]
    const held = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    sink.onCall = (_, reply) => {
      arrived.resolve()
      void held.promise.then(reply)
    }
    await refuse('tool_calls', 'update', `new.status = 'succeeded' and ${isFirst}`)
    const id = await trigger()
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
    calls = [{ name: 'remember', arguments: { content: 'A note.' } }, write]
    const held = Promise.withResolvers<void>()
    sink.onCall = (_, reply) => void held.promise.then(reply)
    await refuse('memory_entries', 'insert', isFirst)
    const id = await trigger()
    await until('the note is refused', 10_000, refused)
    const look = async () => {
      const rows = await app.sql<{ attempt: number; until: Date | null }>`
        select attempt, lease_until as until from runs join jobs on jobs.run_id = runs.id
        where runs.id = ${id}`
      return rows[0] ?? { attempt: 0, until: null }
    }
    const { attempt, until: first } = await look()
    // Longer than a lease: a run that was let go of has been taken anew.
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
