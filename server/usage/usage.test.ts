import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createAccount } from '../accounts/create-account.ts'
import { leaveTimeOfDay } from '../../rig/day.ts'
import { earlier } from '../../test/earlier.ts'
import { nextPage } from '../../test/api-client.ts'
import { callTools, complete, startTestApp, type TestApp } from '../../test/test-app.ts'
import { foldUsage } from './fold.ts'
import { pluck } from '../../test/pluck.ts'

type Row = Record<string, number | string | null>

let app: TestApp

async function usage(query = '', key = app.key): Promise<Row[]> {
  const { status, body } = await app.call('GET', `/v1/usage?${query}`, { key })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

const make = async (path: string, body: object = {}): Promise<string> =>
  (await app.post(path, body)).id

/** Triggers a run and waits until it is idle. */
async function run(workflow: string, body: object = {}): Promise<string> {
  const id = await make(`/v1/workflows/${workflow}/runs`, { input: 'x', ...body })
  await app.rest(id)
  return id
}

async function foldAll(): Promise<void> {
  while (await foldUsage(app.database));
  const rows = await app.sql`select from usage_deltas`
  assert.equal(rows.length, 0)
}

const plain = { role: 'writer', systemPrompt: 's' }
const question = { name: 'request_input', arguments: { question: '?' } }
const ofNoRuns = { runs: null, completed: null, failed: null, cancelled: null }

/** Removes the durations after checking that they are plausible. */
function untimed(rows: Row[]): Row[] {
  return rows.map(({ duration_p50_ms: p50, duration_p95_ms: p95, ...row }) => {
    assert.ok(Number(p50) >= 1 && Number(p95) >= Number(p50), `${p50} ${p95}`)
    return row
  })
}

describe('usage', () => {
  let today: string

  before(async () => {
    await leaveTimeOfDay(60_000)
    today = new Date().toISOString().slice(0, 10)
    app = await startTestApp({
      intervals: { usageMs: 3_600_000 },
      answer: ({ messages }, response) => {
        const text = JSON.stringify(messages)
        if (text.includes('dear')) complete(response, 'x', 1_000_000, 0)
        else if (text.includes('ask')) callTools(response, [question])
        else complete(response, 'said', 10, 5)
      },
    })
  })
  after(() => app[Symbol.asyncDispose]())

  it('is empty where nothing ended', async () => {
    assert.deepEqual(await usage(), [])
    assert.deepEqual(await usage('group_by=tag:customer'), [])
  })

  it('counts by day, workflow, agent, model and tag, the same before it is folded and after', async () => {
    const agent = await make('/v1/agents', { name: 'Ann', role: 'r', systemPrompt: 's' })
    const crew = [{ ...plain, role: 'planner', agentId: agent }, plain]
    const both = await make('/v1/workflows', { name: 'Both', crew })
    const dear = await make('/v1/workflows', {
      name: 'Dear',
      crew: [plain],
      limits: { max_cost_usd: 0.5 },
    })
    await run(both)
    await run(both, { tags: { customer: 'b', place: 'x' } })
    await run(both, { tags: { customer: 'a' } })
    await run(dear, { input: 'dear', tags: { customer: 'a' } })

    const used = (tokens_in: number, tokens_out: number, cost_usd: number) => ({
      tokens_in,
      tokens_out,
      cost_usd,
      calls_without_price: 0,
    })
    const whole = { steps: 7, ...used(1_000_060, 30, 1.00012) }
    const ofBoth = { steps: 6, ...used(60, 30, 0.00012) }
    const ofDear = { steps: 1, ...used(1_000_000, 0, 1) }
    const ended = (completed: number, failed: number) => ({
      runs: completed + failed,
      completed,
      failed,
      cancelled: 0,
    })
    const expected = {
      day: [{ day: today, ...ended(3, 1), ...whole }],
      workflow: [
        { workflow: both, name: 'Both', ...ended(3, 0), ...ofBoth },
        { workflow: dear, name: 'Dear', ...ended(0, 1), ...ofDear },
      ],
      agent: [
        { agent: null, name: null, ...ofNoRuns, steps: 4, ...used(1_000_030, 15, 1.00006) },
        { agent, name: 'Ann', ...ofNoRuns, steps: 3, ...used(30, 15, 0.00006) },
      ],
      model: [{ model: 'test/echo', ...ofNoRuns, ...whole }],
      'tag:customer': [
        { tag: 'a', ...ended(1, 1), steps: 3, ...used(1_000_020, 10, 1.00004) },
        { tag: 'b', ...ended(1, 0), steps: 2, ...used(20, 10, 0.00004) },
      ],
      'tag:place': [{ tag: 'x', ...ended(1, 0), steps: 2, ...used(20, 10, 0.00004) }],
    }
    const check = async () => {
      for (const [grouping, rows] of Object.entries(expected)) {
        assert.deepEqual(untimed(await usage(`group_by=${grouping}`)), rows, grouping)
      }
      const ofOne = [{ day: today, ...ended(3, 0), ...ofBoth }]
      assert.deepEqual(untimed(await usage(`workflow_id=${both}`)), ofOne)
      assert.deepEqual(await usage('workflow_id=wf_none'), [])
    }
    await check()
    await foldAll()
    await check()
  })

  it('by tag is paged, and is CSV where that is asked for', async () => {
    const first = await app.call('GET', '/v1/usage?group_by=tag:customer&limit=1', {
      headers: { accept: 'text/csv' },
    })
    assert.equal(first.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.match(
      first.body,
      /^tag,runs,completed,failed,cancelled,steps,tokens_in,tokens_out,cost_usd,duration_p50_ms,duration_p95_ms,calls_without_price\r\na,2,1,1,0,3,1000020,10,1.00004,\d+,\d+,0\r\n$/,
    )
    const next = nextPage(first) ?? ''
    assert.deepEqual(pluck(await app.get(next), 'tag'), ['b'])
  })

  it('does not count what a retry takes over, nor forgets what retention deletes', async () => {
    const crew = [{ ...plain, role: 'planner' }, plain]
    const name = 'dear at its second step'
    const workflow = await make('/v1/workflows', { name, crew, limits: { max_cost_usd: 0.5 } })
    const failed = await run(workflow, { input: 'dear' })
    await app.call('PATCH', `/v1/workflows/${workflow}`, { body: { limits: { max_cost_usd: 9 } } })
    const retry = (await app.post(`/v1/runs/${failed}/retry`)).id
    await app.call('GET', `/v1/runs/${retry}?wait=30`)
    const rows = await app.sql<{ reused: number; steps: number; cost: number }>`
      select count(*) filter (where reused_from is not null)::int as reused,
             count(*) filter (where reused_from is null)::int as steps, sum(cost_usd) as cost
      from steps where run_id in (${failed}, ${retry})`
    const counted = async () => {
      const found = (await usage('group_by=workflow')).find((row) => row['workflow'] === workflow)
      return [found?.['runs'], found?.['steps'], found?.['cost_usd']]
    }
    assert.equal(rows[0]?.reused, 1)
    assert.deepEqual(await counted(), [2, rows[0]?.steps, rows[0]?.cost])
    for (const table of ['steps', 'runs']) {
      await app.sql`delete from ${sql.table(table)}`
    }
    await app.call('DELETE', `/v1/workflows/${workflow}`)
    assert.deepEqual(await counted(), [2, rows[0]?.steps, rows[0]?.cost])
  })

  it('times runs without what they waited, and no run that never began', async () => {
    const body = { name: 'asks', crew: [plain], human_in_the_loop: { enabled: true } }
    const workflow = await make('/v1/workflows', body)
    const waiting = await run(workflow, { input: 'ask' })
    await app.sql`update runs set started_at = ${earlier('started_at', '1 hour')},
                              waiting_since = ${earlier('waiting_since', '1 hour')}
              where id = ${waiting}`
    await app.call('POST', `/v1/runs/${waiting}/cancel`)
    await app.sql`
      insert into runs (account_id, id, workflow_id, input)
      select account_id, 'run_queued', workflow_id, 'x' from runs where id = ${waiting}`
    await app.call('POST', '/v1/runs/run_queued/cancel')
    const found = (await usage('group_by=workflow')).find((row) => row['workflow'] === workflow)
    assert.deepEqual([found?.['runs'], found?.['cancelled'], found?.['steps']], [2, 2, 1])
    assert.ok(Number(found?.['duration_p50_ms']) > 1, String(found?.['duration_p50_ms']))
    assert.ok(Number(found?.['duration_p95_ms']) < 60_000, String(found?.['duration_p95_ms']))
  })

  it('takes days and no other times, in a range that it can sum up', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const all = await usage()
    assert.deepEqual(await usage(`from=${today}&to=${tomorrow}`), all)
    assert.deepEqual(await usage(`from=${today}T00:00:00Z&to=${tomorrow}T00:00:00.000Z`), all)
    const longAgo = new Date(Date.now() - 300 * 86_400_000).toISOString().slice(0, 10)
    assert.deepEqual(await usage(`from=${longAgo}&to=${today}`), [])
    for (const [query, message] of [
      ['from=2026-02-30', 'from is "2026-02-30", expected a day in UTC such as 2026-11-01'],
      ['to=2026-02-01T10:00:00Z', 'expected a day in UTC such as 2026-11-01'],
      ['from=yesterday', 'from is "yesterday"'],
      ['from=2024-01-01', 'expected a day up to 400 days before'],
      ['from=2026-01-02&to=2026-01-02', 'expected a day up to 400 days after 2026-01-02'],
      ['from=2026-01-01&to=2027-02-06', 'to is "2027-02-06"'],
      ['group_by=weather', 'group_by is "weather", expected day, workflow'],
      ['group_by=tag:A', 'group_by is "tag:A"'],
      [
        'group_by=model&workflow_id=wf_1',
        'group_by is "model", expected day, as workflow_id is given',
      ],
      ['after=eA', 'after is not a cursor of this list'],
    ] as const) {
      const { status, body } = await app.call('GET', `/v1/usage?${query}`)
      assert.equal(status, 400, query)
      assert.ok(body.error.message.startsWith('Cannot list usage: '), body.error.message)
      assert.ok(body.error.message.includes(message), body.error.message)
    }
  })

  it("is the account's own", async () => {
    const other = await createAccount(app.database, 'other')
    assert.deepEqual(await usage('', other.adminKey), [])
    const [{ workflow = '' } = {}] = await usage('group_by=workflow')
    assert.ok((await usage(`workflow_id=${workflow}`)).length > 0)
    assert.deepEqual(await usage(`workflow_id=${workflow}`, other.adminKey), [])
  })
})

describe('usage, while two workers end runs and sums are folded', () => {
  before(async () => {
    app = await startTestApp({
      intervals: { usageMs: 3 },
      answer: ({ messages }, response, call) => {
        const text = JSON.stringify(messages)
        if (text.includes('ask') && messages.at(-1)?.role === 'user') {
          callTools(response, [question])
        } else if (text.includes('fail')) response.writeHead(400).end('{}')
        else complete(response, 'said', 10 + (call % 7), 5)
      },
    })
  })
  after(() => app[Symbol.asyncDispose]())

  it('equals the sum over runs and steps exactly', async () => {
    await using _worker = await app.startAnother('worker')
    const two = [plain, { ...plain, role: 'reader' }]
    const workflows = [
      await make('/v1/workflows', { name: 'a', crew: two }),
      await make('/v1/workflows', {
        name: 'b',
        crew: [plain],
        human_in_the_loop: { enabled: true },
      }),
    ]
    const runs = await Promise.all(
      Array.from({ length: 120 }, (_, n) => {
        const input = ['x', 'x', 'ask', 'x', 'fail'][n % 5]
        const tags = n % 3 === 0 ? { tags: { customer: `c${n % 4}` } } : {}
        return make(`/v1/workflows/${workflows[n % 2]}/runs`, { input, ...tags })
      }),
    )
    const isOver = Promise.all(
      runs.map(async (id, n) => {
        if (n % 11 === 0) await app.call('POST', `/v1/runs/${id}/cancel`)
        const { status } = await app.rest(id)
        if (status === 'waiting_input') await app.call('POST', `/v1/runs/${id}/cancel`)
      }),
    ).then(() => true)
    // A sum never gets smaller, whether its rows are being folded or not.
    let steps = 0
    while (
      !(await Promise.race([isOver, new Promise<false>((r) => setImmediate(() => r(false)))]))
    ) {
      const seen = Number((await usage())[0]?.['steps'] ?? 0)
      assert.ok(seen >= steps, `${seen} after ${steps}`)
      steps = seen
    }

    for (const [grouping, ofRun, ofStep] of [
      ['day', sql`finished_at::date::text`, sql`steps.finished_at::date::text`],
      ['workflow', sql`workflow_id`, sql`workflow_id`],
      ['agent', sql`null`, sql`coalesce(agent_id, '')`],
      ['model', sql`null`, sql`model`],
      ['tag:customer', sql`tags ->> 'customer'`, sql`tags ->> 'customer'`],
    ] as const) {
      const ended = await app.sql<Row>`
        select ${ofRun} as value, count(*)::int as runs,
               count(*) filter (where status = 'completed')::int as completed,
               count(*) filter (where error_code = 'cancelled')::int as cancelled
        from runs where finished_at is not null and ${ofRun} is not null
        group by 1 order by 1`
      const used = await app.sql<Row>`
        select ${ofStep} as value, count(*)::int as steps, sum(steps.tokens_in) as tokens_in,
               sum(steps.tokens_out) as tokens_out, sum(steps.cost_usd) as cost_usd
        from steps join runs on runs.account_id = steps.account_id and runs.id = run_id
        where steps.finished_at is not null and ${ofStep} is not null
        group by 1 order by 1`
      const rows = await usage(`group_by=${grouping}`)
      const group = grouping.split(':')[0] as string
      const pick = (names: string[]) =>
        rows.map((row) => ({
          value: row[group] ?? '',
          ...Object.fromEntries(names.map((name) => [name, row[name]])),
        }))
      assert.deepEqual(pick(['steps', 'tokens_in', 'tokens_out', 'cost_usd']), used, grouping)
      if (ended.length > 0) {
        assert.deepEqual(pick(['runs', 'completed', 'cancelled']), ended, grouping)
      }
    }
    const rows = await app.sql<Row>`
      select sum(tokens_in) as tokens_in, sum(cost_usd) as cost_usd, count(*)::int as runs from runs`
    const [day] = await usage()
    assert.deepEqual(
      [day?.['tokens_in'], day?.['cost_usd'], day?.['runs']],
      [rows[0]?.['tokens_in'], rows[0]?.['cost_usd'], 120],
    )
  })
})
