import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { untilFound } from '../../../rig/until.ts'
import type { Answer } from '../../../test/api-client.ts'
import { upload } from '../../files/test-files.ts'
import { complete, startTestApp } from '../../../test/test-app.ts'
import { fixture } from '../../../test/fixture.ts'
import { pluck } from '../../../test/pluck.ts'

let workflow: string

/** While true, an input that contains `bad` fails. */
let fails = true
/** The models' answer to every prompt; undefined for one that depends on it. */
let answer: string | undefined
const app = fixture(() =>
  startTestApp({
    intervals: { batchesMs: 20 },
    answer: (request, response) => {
      const text = String(request.messages.at(-1)?.content)
      if (fails && text.includes('bad')) {
        response.writeHead(400, { 'content-type': 'application/json' })
        return void response.end('{"error":{"message":"no such thing"}}')
      }
      if (answer !== undefined) return complete(response, answer)
      // Most runs cost little, some ten times as much.
      complete(response, `${text}!`, 10, text.includes('long') ? 70 : 7)
    },
  }),
)
beforeEach(async () => {
  fails = true
  answer = undefined
  workflow = await app.createWorkflow()
})

const path = () => `/v1/workflows/${workflow}/batches`
const start = (body: object) => app.post(path(), body)

async function sendText(text: string, type: string, query = ''): Promise<Answer> {
  const response = await fetch(`${app.url}${path()}${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.key}`, 'content-type': type },
    body: text,
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const ended = (id: string) =>
  untilFound('the batch has ended', 60_000, async () => {
    const batch = await app.get(`/v1/batches/${id}`)
    return batch.finished_at === null ? undefined : batch
  })

async function results(id: string, accept: string): Promise<string> {
  const headers = { authorization: `Bearer ${app.key}`, accept }
  const response = await fetch(`${app.url}/v1/batches/${id}/results`, { headers })
  assert.equal(response.status, 200)
  return response.text()
}

describe('a batch', () => {
  it('runs each item once, and has the results in its order', async () => {
    const items = Array.from({ length: 60 }, (_, n) => ({ key: `k${n}`, input: `text ${n}` }))
    const batch = await start({ items, name: 'Sixty', concurrency: 7 })
    assert.deepEqual([batch.status, batch.total, batch.queued], ['running', 60, 60])
    const end = await ended(batch.id)
    assert.deepEqual([end.status, end.completed, end.queued, end.running], ['completed', 60, 0, 0])
    assert.ok(end.cost_usd > 0)
    const lines = (await results(batch.id, 'application/x-ndjson')).trim().split('\n')
    const found = lines.map((line) => JSON.parse(line) as { key: string; output: string })
    assert.equal(found[59]?.key, 'k59')
    assert.match(found[59].output, /^text 59\n/)
    const runs = await app.sql`select id from runs where workflow_id = ${workflow}`
    assert.equal(runs.length, 60)
    const tagged = await app.get(`/v1/runs?tag=batch:${batch.id}&limit=100`)
    assert.equal(tagged.length, 60)
    const page = await app.call('GET', `/v1/batches/${batch.id}/items?limit=25`)
    assert.equal(page.body.data.length, 25)
    assert.match(page.headers.get('link') ?? '', /after=/)
  })

  it('names what failed, and retries it with a run that knows the first', async () => {
    const batch = await start({ items: [{ input: 'good' }, { input: 'bad' }] })
    const end = await ended(batch.id)
    assert.deepEqual([end.status, end.completed, end.failed], ['completed', 1, 1])
    const [, failed] = await app.get(`/v1/batches/${batch.id}/items`)
    assert.match(failed.error, /no such thing/)
    fails = false
    await app.post(`/v1/batches/${batch.id}/retry-failed`, undefined)
    const again = await ended(batch.id)
    assert.deepEqual([again.completed, again.failed], [2, 0])
    const [item] = await app.get(`/v1/batches/${batch.id}/items?status=completed&limit=1`)
    assert.equal(item.position, 0)
    const retried = (await app.get(`/v1/batches/${batch.id}/items`))[1]
    assert.equal((await app.get(`/v1/runs/${retried.run_id}`)).retry_of, failed.run_id)
  })

  it('cancels what has not ended', async () => {
    await app.call('PATCH', `/v1/workflows/${workflow}`, { body: { status: 'paused' } })
    const batch = await start({ items: Array.from({ length: 30 }, () => ({ input: 'x' })) })
    const held = async () => (await app.get(`/v1/batches/${batch.id}`)).held ?? undefined
    assert.match(await untilFound('the batch is held', 20_000, held), /paused/)
    const cancelled = await app.post(`/v1/batches/${batch.id}/cancel`, undefined)
    assert.equal(cancelled.status, 'cancelling')
    const end = await ended(batch.id)
    assert.deepEqual([end.status, end.cancelled, end.completed], ['cancelled', 30, 0])
  })

  it('is one, however often it is sent under a key', async () => {
    const body = { items: [{ input: 'a' }, { input: 'b' }] }
    const send = () =>
      app.call('POST', path(), { body, headers: { 'idempotency-key': `once ${workflow}` } })
    const [one, other] = [await send(), await send()]
    assert.equal(one.body.data.id, other.body.data.id)
    await ended(one.body.data.id)
    const runs = await app.sql`select id from runs where workflow_id = ${workflow}`
    assert.equal(runs.length, 2)
  })

  it('tells a webhook that it has ended', async () => {
    const url = 'http://127.0.0.1:9/'
    const hook = await app.post('/v1/webhooks', { url, events: ['batch.completed'] })
    const report = (await upload(app, 'text', 'report.md')).body.data.id
    const batch = await start({ items: [{ input: 'a' }, { input: 'b', files: [report] }] })
    await ended(batch.id)
    const [delivery] = await app.get(`/v1/webhooks/${hook.id}/deliveries`)
    assert.equal(delivery.event_type, 'batch.completed')
    const { body } = await app.get(`/v1/webhooks/${hook.id}/deliveries/${delivery.id}`)
    const { data } = JSON.parse(body)
    assert.deepEqual([data.id, data.file_names], [batch.id, { [report]: 'report.md' }])
    const { name } = await app.get(`/v1/workflows/${workflow}`)
    assert.deepEqual([data.workflow, delivery.workflow], [{ id: workflow, name }, data.workflow])

    // The names are those of the first 100 files.
    const files: string[] = []
    for (let n = 0; n < 101; n++) {
      files.push((await upload(app, `text ${n}`, `${n}.md`)).body.data.id)
    }
    const large = await start({ files, concurrency: 20 })
    await ended(large.id)
    const [last] = await app.get(`/v1/webhooks/${hook.id}/deliveries`)
    const sent = JSON.parse((await app.get(`/v1/webhooks/${hook.id}/deliveries/${last.id}`)).body)
    assert.equal(Object.keys(sent.data.file_names).length, 100)
    assert.equal(sent.data.file_names[files[0] ?? ''], '0.md')
  })
})

describe('a batch of files', () => {
  it('names its files: as keys, in a column, in the results, with the outputs beside', async () => {
    const file = async (name: string) => (await upload(app, `# ${name}`, name)).body.data.id
    const files = [
      await file('a.md'),
      await file('b.md'),
      await file('a.md'),
      await file('a (2).md'),
    ]
    const crew = [
      {
        role: 'reader',
        systemPrompt: 'read',
        output_schema: {
          type: 'object',
          properties: { total: { type: 'number' }, note: { type: 'string' } },
          required: ['total', 'note'],
        },
      },
    ]
    workflow = await app.createWorkflow({ crew })
    answer = JSON.stringify({ total: 7, note: 'x' })
    const { id } = await start({ files, input: 'Read it.' })
    await ended(id)
    const items = await app.get(`/v1/batches/${id}/items`)
    const keys = ['a.md', 'b.md', 'a.md (2)', 'a (2).md']
    assert.deepEqual(pluck(items, 'key'), keys)
    assert.deepEqual(pluck(items, 'file', 'file_id'), [
      ['a.md', files[0]],
      ['b.md', files[1]],
      ['a.md', files[2]],
      ['a (2).md', files[3]],
    ])
    assert.deepEqual(items[0].output_json, { total: 7, note: 'x' })
    const csv = await results(id, 'text/csv')
    assert.match(
      csv,
      /^key,file,file_id,status,[^\r]*output_json\.note,output_json\.total\r\na\.md,a\.md,file_/,
    )
    const lines = (await results(id, 'application/x-ndjson')).trim().split('\n')
    const third = JSON.parse(lines[2] ?? '') as Record<string, unknown>
    assert.deepEqual(
      [third['key'], third['file'], third['file_id']],
      ['a.md (2)', 'a.md', files[2]],
    )

    // A large output is left to the results.
    answer = JSON.stringify({ total: 7, note: 'x'.repeat(5_000) })
    const large = await start({ items: [{ input: 'x', files: [files[1]] }] })
    await ended(large.id)
    const [item] = await app.get(`/v1/batches/${large.id}/items`)
    assert.deepEqual([item.key, item.file, item.output_json], [null, 'b.md', null])
    assert.match(await results(large.id, 'text/csv'), /xxxxx/)
  })
})

describe('items of a batch', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' }, vip: { type: 'boolean' } },
    required: ['name'],
  }

  it('come as CSV with a byte order mark, semicolons, quotes and typed columns', async () => {
    await app.call('PATCH', `/v1/workflows/${workflow}`, { body: { input_schema: schema } })
    const csv = '\ufeffid;name;age;vip\r\n1;"Ada; ""L""";36;true\r\n2;"Grace\nH";;false\r\n'
    const { status, body } = await sendText(csv, 'text/csv', '?key=id&name=People')
    assert.equal(status, 202, JSON.stringify(body))
    assert.equal(body.data.name, 'People')
    await ended(body.data.id)
    const rows = await app.sql<{ data: object }>`
      select data from runs where workflow_id = ${workflow} order by id`
    assert.deepEqual(pluck(rows, 'data'), [
      { name: 'Ada; "L"', age: 36, vip: true },
      { name: 'Grace\nH', vip: false },
    ])
    const text = await results(body.data.id, 'text/csv')
    assert.match(
      text,
      /^key,file,file_id,status,run_id,cost_usd,error,output,run_has_warnings,calls_without_price\r\n1,,,completed,run_/,
    )
  })

  it('come as JSON Lines', async () => {
    const text = '{"key":"a","input":"one"}\n\n{"key":"b","data":{"x":1}}'
    const { status, body } = await sendText(text, 'application/x-ndjson')
    assert.equal(status, 202, JSON.stringify(body))
    assert.equal(body.data.total, 2)
    await ended(body.data.id)
  })

  it('are checked before the first run starts, and named', async () => {
    const refused = async (answer: Promise<Answer> | Answer, pattern: RegExp): Promise<void> => {
      const { status, body } = await answer
      assert.equal(status, 400, JSON.stringify(body))
      assert.match(body.error.message, pattern)
    }
    const send = (body: object) => app.call('POST', path(), { body })
    await refused(send({}), /either items or files/)
    await refused(send({ items: [{ input: 'a' }, {}] }), /items\[1\] has neither/)
    await refused(send({ items: [{ input: 'a', tags: { batch: 'x' } }] }), /items\[0\]\.tags/)
    const twice = [
      { key: 'a', input: '1' },
      { key: 'b', input: '1' },
      { key: 'a', input: '2' },
    ]
    await refused(send({ items: twice }), /items\[2\]\.key is that of items\[0\]/)
    await refused(send({ files: ['file_none'] }), /no file of this account/)
    await refused(sendText('{"input":"a"}\n{"input"', 'application/x-ndjson'), /line 2/)
    await refused(sendText('', 'text/csv'), /no items/)
    await refused(sendText('a,b\n1\n', 'text/csv'), /CSV cannot be read/)
    for (const text of ['x', '', '1.5'])
      await refused(
        sendText('a\n1\n', 'text/csv', `?concurrency=${text}`),
        /concurrency must be an integer, not a/,
      )
    await refused(sendText('a\n1\n', 'text/csv', '?key=id'), /no column id/)
    await app.call('PATCH', `/v1/workflows/${workflow}`, { body: { input_schema: schema } })
    await refused(sendText('name,age\nAda,old\n', 'text/csv'), /items\[0\]\.data.*integer/)
    const large = sendText('name,age\nAda,8202522731445525542\n', 'text/csv')
    await refused(large, /items\[0\]\.data\.age: the number 8202522731445525542 is too large/)
    const runs = await app.sql`select id from runs where workflow_id = ${workflow}`
    assert.equal(runs.length, 0)
  })

  it('are read in parts, and named by their place in the whole', async () => {
    const refused = async (answer: Promise<Answer> | Answer, why: string): Promise<void> => {
      const { status, body } = await answer
      assert.deepEqual([status, body.error.message], [400, `Cannot start batch: ${why}`])
    }
    const items: object[] = Array.from({ length: 900 }, (_, at) => ({
      key: `k${at}`,
      data: { text: 'x'.repeat(200), at },
    }))
    const send = (more: object[]) =>
      app.call('POST', path(), { body: { items: [...items, ...more] } })
    const lines = (more: object[]) =>
      sendText(
        [...items, ...more].map((one) => JSON.stringify(one)).join('\n'),
        'application/x-ndjson',
      )
    for (const sent of [send, lines]) {
      await refused(sent([{ input: 7 }]), 'items[900].input must be a string, not a number')
      await refused(
        sent([{ input: 'a', key: 'k1' }]),
        'items[900].key is that of items[1] too, expected each once',
      )
      await refused(
        sent([{ input: 'a', files: ['file_none'] }]),
        'items[900].files[0] is file_none, which is no file of this account',
      )
    }
    const many = Array.from({ length: 10_001 }, () => ({ input: 'a' }))
    await refused(send(many.slice(899)), 'items has 10002 items, at most 10000')
    await refused(
      app.call('POST', path(), { body: { items: [] } }),
      'items has 0 items, at least 1',
    )
    await refused(
      app.call('POST', path(), { body: { items: [{ data: { a: 'x'.repeat(300_000) } }] } }),
      'items[0] has 300017 characters of JSON, at most 262144',
    )
    const lists = Array.from({ length: 1_000_001 }, () => [])
    await refused(
      app.call('POST', path(), { body: { items: [{ data: { lists } }] } }),
      'the body has more than 1000000 lists and objects, send its items as JSON Lines',
    )
    const headers = { 'idempotency-key': 'parts' }
    const first = await app.call('POST', path(), { body: { items }, headers })
    assert.equal(first.status, 202, JSON.stringify(first.body))
    const again = await app.call('POST', path(), { body: { items }, headers })
    assert.equal(again.body.data.id, first.body.data.id)
    const other = await app.call('POST', path(), { body: { items: items.slice(1) }, headers })
    assert.equal(other.body.error.code, 'idempotency_key_reused')
    const rows = await app.sql<{ key: string; at: number }>`
      select key, (item->'data'->>'at')::int as at from batch_items
      where batch_id = ${first.body.data.id} order by position`
    assert.deepEqual(
      rows,
      Array.from({ length: 900 }, (_, at) => ({ key: `k${at}`, at })),
    )
    await app.post(`/v1/batches/${first.body.data.id}/cancel`, {})
  })

  it('are estimated from the runs of the workflow', async () => {
    const items = [{ input: 'a' }, { input: 'b' }, { input: 'c' }]
    const unknown = await start({ items, dry_run: true })
    assert.deepEqual([unknown.total, unknown.sampled_runs, unknown.cost_usd_p50], [3, 0, null])
    const batch = await start({ items })
    const end = await ended(batch.id)
    const known = await start({ items, dry_run: true })
    assert.equal(known.sampled_runs, 3)
    assert.ok(Math.abs(known.cost_usd_p50 - end.cost_usd) < 0.01 * end.cost_usd)
    // The estimate stays within a factor of two where runs differ: a tenth of them cost ten times
    // as much.
    const mixed = Array.from({ length: 40 }, (_, n) => ({ input: n % 10 === 0 ? 'long' : 'short' }))
    const before = await ended((await start({ items: mixed })).id)
    const { cost_usd_p50: p50, cost_usd_p95: p95 } = await start({ items: mixed, dry_run: true })
    assert.ok(p50 > before.cost_usd / 2 && p50 < before.cost_usd * 2, `${p50} ${before.cost_usd}`)
    assert.ok(p95 >= p50)
    assert.equal(
      (await app.get('/v1/batches')).filter(
        (one: { workflow_id: string }) => one.workflow_id === workflow,
      ).length,
      2,
    )
  })
})
