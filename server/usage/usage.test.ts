import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { complete, startTestApp, type TestApp } from '../../test/test-app.ts'
import { foldUsage } from './fold.ts'

const never = { usageMs: 3_600_000 }
const today = () => new Date().toISOString().slice(0, 10)

type Row = Record<string, number | string | null>

async function usage(app: TestApp, query = '', key = app.key): Promise<Row[]> {
  const { status, body } = await app.call('GET', `/v1/usage?${query}`, { key })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

async function make(app: TestApp, path: string, body: object): Promise<string> {
  const answer = await app.call('POST', path, { body })
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  return answer.body.data.id
}

/** Triggers a run and waits until it rests. */
async function run(app: TestApp, workflow: string, body: object = { input: 'x' }): Promise<string> {
  const id = await make(app, `/v1/workflows/${workflow}/runs`, body)
  await app.call('GET', `/v1/runs/${id}?wait=30`)
  return id
}

describe('usage', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({
      intervals: never,
      answer: ({ messages }, response) => {
        if (messages.at(-1)?.content.includes('dear')) complete(response, 'x', 1_000_000, 0)
        else complete(response, 'said', 10, 5)
      },
    })
  })
  after(() => app[Symbol.asyncDispose]())

  it('is an empty list where nothing ended', async () => {
    assert.deepEqual(await usage(app), [])
    assert.deepEqual(await usage(app, 'group_by=tag:customer'), [])
  })

  it('counts runs and steps by day, workflow, agent and model, the same before a fold and after', async () => {
    const agent = await make(app, '/v1/agents', { name: 'Ann', role: 'r', systemPrompt: 's' })
    const crew = [{ role: 'planner', systemPrompt: 's', agentId: agent }, { role: 'writer', systemPrompt: 's' }]
    const workflow = await make(app, '/v1/workflows', { name: 'Both', crew })
    const short = await make(app, '/v1/workflows', {
      name: 'Short',
      crew: [{ role: 'writer', systemPrompt: 's' }],
      limits: { max_cost_usd: 0.5 },
    })
    for (let n = 0; n < 3; n++) await run(app, workflow)
    const failed = await run(app, short, { input: 'dear' })
    await app.call('POST', `/v1/runs/${failed}/retry`)

    const read = async () => ({
      day: await usage(app),
      workflow: await usage(app, 'group_by=workflow'),
      agent: await usage(app, 'group_by=agent'),
      model: await usage(app, 'group_by=model'),
    })
    await app.call('GET', `/v1/runs?limit=1`)
    const before = await read()
    const times = { duration_p50_ms: 0, duration_p95_ms: 0 }
    const untimed = (rows: Row[]) =>
      rows.map((row) => {
        assert.ok(Number(row['duration_p50_ms']) >= 1)
        assert.ok(Number(row['duration_p95_ms']) >= Number(row['duration_p50_ms']))
        return { ...row, ...times }
      })
    const ofRuns = (completed: number, failed: number, cancelled: number) => ({
      runs: completed + failed + cancelled,
      completed,
      failed,
      cancelled,
    })
    const none = { runs: null, completed: null, failed: null, cancelled: null }
    void ofRuns
    void none
    void untimed
    console.log(before)
    while (await foldUsage(app.database));
    const { rows } = await sql`select count(*)::int as n from usage_deltas`.execute(app.database)
    assert.deepEqual(rows, [{ n: 0 }])
    assert.deepEqual(await read(), before)
    console.log(today())
    const r = await app.call('GET', '/v1/usage?group_by=workflow&limit=1', { headers: { accept: 'text/csv' } })
    console.log(r.body, r.headers.get('link'))
    console.log((await app.call('GET', r.headers.get('link')!.slice(1).split('>')[0]!)).body)
    console.log((await app.call('GET', '/v1/usage?from=2026-02-30')).body)
    console.log((await app.call('GET', '/v1/usage?from=2024-02-20')).body)
    console.log((await app.call('GET', '/v1/usage?to=2024-02-20&from=2024-02-20')).body)
    console.log((await app.call('GET', '/v1/usage?group_by=x')).body)
  })
})
