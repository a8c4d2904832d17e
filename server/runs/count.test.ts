import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { createAccount } from '../accounts/create-account.ts'
import { fixture, prepare } from '../../test/fixture.ts'
import { startTestApp } from '../../test/test-app.ts'

const app = fixture(() => startTestApp({ role: 'api' }))
const many = 1_001
let accountId = ''
prepare(async () => {
  accountId = (await app.get('/v1/account')).id
  await insert('completed', many)
  await insert('completed', 2, { workflow: 'wf_b' })
  await insert('failed', 3, { code: 'step_failed' })
  await insert('failed', 4, { code: 'cancelled', workflow: 'wf_b' })
  await insert('queued', 1, { workflow: 'wf_b' })
  await app.sql`
    insert into run_marks (account_id, run_id, created_at, mark)
    select account_id, id, created_at, mark from runs, unnest(array['warning', 'tag customer:acme']) as mark
    where workflow_id = 'wf_b' and status = 'completed'`
})

let made = 0
async function insert(
  status: string,
  count: number,
  { code, workflow = 'wf_a' }: { code?: string; workflow?: string } = {},
): Promise<void> {
  const first = made
  made += count
  await sql`
    insert into runs (id, account_id, workflow_id, status, input, output, error, error_code, created_at, finished_at)
    select 'run_' || lpad((${first}::int + n)::text, 26, '0'), ${accountId}, ${workflow}, ${status}, 'in',
           case when ${status} = 'completed' then 'out' end,
           case when ${status} = 'failed' then 'e' end, ${code ?? null}::text,
           now() - n * interval '1 minute', case when ${status} <> 'queued' then now() end
    from generate_series(1, ${count}::int) as n`.execute(app.database)
}

const few = (count: number) => ({ count, more: false })
const none = few(0)
const zero = {
  queued: none,
  running: none,
  waiting_input: none,
  completed: none,
  with_warnings: none,
  failed: none,
  cancelled: none,
}

describe('the counts of runs by status', () => {
  it('end at 1,000, with cancelled runs apart from failed ones', async () => {
    assert.deepEqual(await app.get('/v1/runs/counts'), {
      ...zero,
      queued: few(1),
      completed: { count: 1_000, more: true },
      with_warnings: few(2),
      failed: few(3),
      cancelled: few(4),
    })
  })

  it('take the filters of the list', async () => {
    const ofB = { ...zero, queued: few(1), completed: few(2), with_warnings: few(2) }
    assert.deepEqual(await app.get('/v1/runs/counts?workflow_id=wf_b'), {
      ...ofB,
      cancelled: few(4),
    })
    assert.deepEqual(await app.get('/v1/runs/counts?tag=customer:acme'), {
      ...zero,
      completed: few(2),
      with_warnings: few(2),
    })
    const since = new Date(Date.now() - 90_000).toISOString()
    const recent = await app.get(`/v1/runs/counts?created_after=${since}`)
    assert.deepEqual(recent.failed, few(1))
    assert.deepEqual(await app.get('/v1/runs/counts?q=xylophone'), zero)
  })

  it('count what the list of the status has', async () => {
    const codes = 'step_failed,agent_paused,wait_expired,budget_exceeded,internal,output_invalid'
    assert.equal((await app.get(`/v1/runs?status=failed&error_code=${codes}`)).length, 3)
    assert.equal((await app.get('/v1/runs?status=cancelled')).length, 4)
  })

  it("are the account's own, and know no filter of statuses", async () => {
    const other = await createAccount(app.database, 'other')
    const { body } = await app.call('GET', '/v1/runs/counts', { key: other.adminKey })
    assert.deepEqual(body.data, zero)
    assert.equal((await app.call('GET', '/v1/runs/counts?status=failed')).status, 400)
  })
})
