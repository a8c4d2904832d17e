import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Muster } from '../../sdk/index.ts'
import { createAccount } from '../accounts/create-account.ts'
import { startTestApp } from '../../test/test-app.ts'
import { fixture, prepare } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() => startTestApp())
let ids: string[]
prepare(async () => {
  const workflowId = await app.createWorkflow({ crew: [{ role: 'r', systemPrompt: 's' }] })
  const inputs = ['plain', '=SUM(1), "quoted"\nsecond line', 'üñí']
  const runs = []
  for (const input of inputs)
    runs.push(await app.run(workflowId, { input, tags: { of: 'export' } }))
  ids = pluck(runs, 'id').toReversed()
})

function get(query: string, accept: string, key = app.key): Promise<Response> {
  const headers = { accept, authorization: `Bearer ${key}` }
  return fetch(`${app.url}/v1/runs?${query}`, { headers })
}

describe('the list of runs as a file', () => {
  it('is CSV, with the filters of the list', async () => {
    const answer = await get('tag=of:export', 'text/csv')
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.match(answer.headers.get('content-disposition') ?? '', /filename="runs\.csv"/)
    assert.equal(answer.headers.get('vary')?.includes('accept'), true)
    const text = await answer.text()
    assert.match(text, /^id,workflow_id,status,error_code,error,created_at,/)
    assert.match(text, /^[^\r]*,output_json,calls_without_price\r\n/)
    assert.deepEqual([...text.matchAll(/^run_\w{26}/gm)].flat(), ids)
    // A spreadsheet must not take it for a formula.
    assert.ok(text.includes(`"'=SUM(1), ""quoted""\nsecond line"`), text)
    const none = await (await get('tag=of:nothing', 'text/csv')).text()
    assert.equal(none.split('\r\n').length, 2)
  })

  it('is JSON Lines, each run as in the list', async () => {
    const answer = await get('tag=of:export', 'application/x-ndjson, application/json')
    assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    const lines = (await answer.text()).trim().split('\n')
    const listed = await app.get('/v1/runs?tag=of:export')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      listed,
    )
    const json = await get('tag=of:export', 'application/json, text/csv')
    assert.deepEqual(await json.json(), { data: listed })
  })

  it('has up to 10,000 rows, and leads to the rest', async () => {
    const { id: accountId, adminKey } = await createAccount(app.database, 'many')
    await app.sql`
      insert into runs (id, account_id, workflow_id, status, input, output, created_at,
                        finished_at)
      select 'run_' || lpad(n::text, 26, '0'), ${accountId}, 'wf_1', 'completed', 'in', 'out',
             now() - n * interval '1 second', now()
      from generate_series(1, 10001) as n`
    const answer = await get('', 'text/csv', adminKey)
    assert.equal((await answer.text()).split('\r\n').length, 10_002)
    const next = /after=([^>&]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    const rest = await get(`after=${next}`, 'text/csv', adminKey)
    assert.match(await rest.text(), /\r\nrun_0{21}10001,.*\r\n$/)
    assert.equal(rest.headers.get('link'), null)
  })

  it('says what is wrong before it begins', async () => {
    const answer = await get('status=gone', 'text/csv')
    assert.equal(answer.status, 400)
    assert.match(await answer.text(), /status has \\"gone\\"/)
  })

  it('has none of another account', async () => {
    const { adminKey } = await createAccount(app.database, 'other')
    for (const type of ['text/csv', 'application/x-ndjson']) {
      assert.ok(!(await (await get('', type, adminKey)).text()).includes('run_'))
    }
  })

  it('is read page by page by the SDK', async () => {
    const muster = new Muster({ apiKey: app.key, baseUrl: app.url })
    const whole = await (await get('tag=of:export', 'text/csv')).text()
    const query = { tag: ['of:export'], limit: 2 }
    assert.equal((await Array.fromAsync(muster.runs.csv(query))).join(''), whole)
  })
})
