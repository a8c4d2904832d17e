import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { condition, createDice, csv, mail, schema, template } from '../../test/strangers/inputs.ts'
import { unpack } from '../sources/batches/packed-items.ts'
import type * as batchTasks from '../sources/batches/read-items.ts'
import type * as pageTasks from '../connectors/web/page-text.ts'
import { DomainError } from '../errors.ts'
import { createConditions } from '../expressions/conditions.ts'
import { refuseSchemas } from '../json-schema/schemas.ts'
import type * as mailTasks from '../sources/mailboxes/read-source.ts'
import { fillFields } from '../templates/templates.ts'
import { compareTexts } from '../versions/compare-texts.ts'
import { defineTask } from './sandbox.ts'
import { TaskEnded } from './thread.ts'
import { testSandbox } from './test-sandbox.ts'

/**
 * Each kind of work that a stranger shapes, with an input that took seconds to hours on the main thread. It ends with a
 * reason, and meanwhile the main thread is never held for long. With random inputs and for ten minutes:
 * `test/strangers.slow.test.ts`.
 */
const caller = { accountId: 'acc', action: 'do it', sandbox: testSandbox() }
/** Every input here would take at least two seconds. On a busy machine the main thread may wait for its turn. */
const longestMs = 1_000

async function whileFree<Result>(work: () => Promise<Result>): Promise<Result> {
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const result = await work()
  loop.disable()
  assert.ok(loop.max / 1e6 < longestMs, `the main thread was held for ${loop.max / 1e6} ms`)
  return result
}

const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(JSON.stringify, (error: Error) => {
    assert.ok(error instanceof TaskEnded || error instanceof DomainError, String(error))
    return error.message
  })

describe('work that a stranger shapes', () => {
  it('conditions: all of a request have one limit, and say why', async () => {
    const conditions = createConditions({ body: 'dyn' })
    const many = Array.from({ length: 5_000 }, (_, at) => at)
    const values = { body: { many, t: 'a'.repeat(200_000) } }
    const doubled = `[1]${'.map(x, [x, x])'.repeat(30)}`
    for (const text of [
      `${doubled} == ${doubled}`,
      'body.many.exists(a, body.many.exists(b, a < 0 && b < 0))',
      'body.t.split("").join(body.t).size() > 0',
    ]) {
      const cases = [{ texts: Array.from({ length: 5 }, () => text), values }]
      const [outcomes = []] = await whileFree(() => conditions.evaluateAll(caller, cases))
      for (const outcome of outcomes) {
        assert.match(String(outcome), /it takes more than|it makes a value longer than/, text)
      }
      // A condition that is not cheap has no outcome here, and so cannot hold the main thread.
      assert.equal(conditions.evaluate(text, values), 'it was not evaluated in time')
    }
    const cheap = 'body.many == [1] || body.t.startsWith("b") || size(body.many) == 5000'
    assert.equal(
      conditions.isCheap(cheap, () => false),
      true,
    )
    assert.deepEqual(await conditions.evaluateAll(caller, [{ texts: [cheap], values }]), [[true]])
  })

  it('conditions: many runs of an account at once each have their outcome', async () => {
    const conditions = createConditions({ body: 'dyn' })
    const cases = [{ texts: ['body.matches("^a+$")'], values: { body: 'aaa' } }]
    const all = await Promise.all(
      Array.from({ length: 150 }, () => conditions.evaluateAll(caller, cases)),
    )
    assert.deepEqual(new Set(all.flat(2)), new Set([true]))
  })

  it('templates: all of an event have one limit, and say why', async () => {
    const many = Array.from({ length: 5_000 }, (_, at) => ({ a: at }))
    const values = { body: { many, t: 'ab'.repeat(200_000) } }
    const slow = `{{ body.many | has_exp: 'i', 'body.t contains "aa"' }}`
    const loop = '{% for i in (1..100000) %}{% assign x = i %}{% endfor %}'
    for (const given of [
      slow,
      '{{ body.t }}'.repeat(1_300),
      Array.from({ length: 600 }, () => loop),
    ]) {
      const fields = [{ name: 'data', template: { given }, isText: false }]
      const { problems } = await whileFree(() => fillFields(caller, fields, values))
      assert.match(problems[0]?.why ?? '', /it takes more than 1 s|limit exceeded|characters/)
    }
    const path = [{ name: 'data', template: { a: '{{ body.many[1].a }}' }, isText: false }]
    assert.deepEqual((await fillFields(caller, path, values)).values, { data: { a: 1 } })
  })

  it('mail: a message that cannot be read in its limits says why', async () => {
    const read = defineTask<typeof mailTasks.readSource>({
      line: 'long',
      from: new URL('../sources/mailboxes/take-message.ts', import.meta.url).href,
      file: './read-source',
      name: 'readSource',
      maxMs: 3_000,
      maxMb: 180,
    })
    const filter = {
      senders: null,
      require_authenticated: false,
      authserv_id: null,
      subject_contains: null,
      own: [],
    }
    const readText = (source: string) =>
      whileFree(() => read(caller, { source: Buffer.from(source), filter }))
    const head = 'From: a@example.net\r\nMessage-ID: <1@a>\r\nContent-Type: text/plain'
    const flowed = `${head}; format=flowed\r\n\r\n${'a \r\n'.repeat(600_000)}`
    assert.match(await reasonOf(readText(flowed)), /it takes (more than 3 s|too much memory)/)
    const long = await readText(`${head}\r\n\r\n${'\u200b'.repeat(1_000_000)}end`)
    assert.equal(long.kind === 'mail' && long.data.text_cut, true)
    const html = 'From: a@example.net\r\nContent-Type: text/html\r\n\r\n'
    const deep = await readText(`${html}${'<div>'.repeat(200_000)}`)
    assert.equal(deep.kind, 'mail')
    const broken = await readText(`${html}<ol type=I start=100000><li>x</ol>`)
    assert.equal(broken.kind, 'unread')
    for (let seed = 1; seed <= 4; seed++)
      await reasonOf(readText(mail(createDice(seed)).slice(0, 3e5)))
  })

  it('pages: the beginning of a hostile page is read', async () => {
    const readPage = defineTask<typeof pageTasks.readPage>({
      line: 'long',
      from: new URL('../connectors/web/fetch-page.ts', import.meta.url).href,
      file: './page-text',
      name: 'readPage',
      maxMs: 5_000,
      maxMb: 128,
    })
    const body = Buffer.from('<div>'.repeat(200_000))
    const page = {
      body,
      truncated: false,
      encoding: '',
      contentType: 'text/html',
      url: 'https://a.example',
    }
    const read = await whileFree(() => readPage(caller, page))
    assert.equal(read.kind === 'text' && read.isCut, true)
  })

  it('CSV and JSON Lines: columns, lines and the whole are bounded', async () => {
    const readItems = defineTask<typeof batchTasks.readItems>({
      line: 'long',
      from: new URL('../sources/batches/body.ts', import.meta.url).href,
      file: './read-items',
      name: 'readItems',
      maxMs: 20_000,
      maxMb: 160,
    })
    const encoder = new TextEncoder()
    const read = (kind: 'csv' | 'lines', text: string) =>
      whileFree(() =>
        readItems(caller, { kind, bytes: encoder.encode(text), keyColumn: undefined }),
      )
    const columns = Array.from({ length: 1_001 }, (_, at) => `c${at}`).join(',')
    const wide = await read('csv', `${columns}\n${`${','.repeat(1_000)}\n`.repeat(5_000)}`)
    const why = wide.kind === 'refused' ? wide.why : ''
    assert.equal(why, 'the CSV has 1001 columns, at most 1000')
    const large = await read('csv', csv(createDice(3)))
    assert.ok(large.kind === 'items' || large.kind === 'refused')
    const line = await read('lines', `{"data":{}}\n{"data":{"a":"${'x'.repeat(300_000)}"}}\n`)
    assert.match(
      line.kind === 'refused' ? line.why : '',
      /^line 2: it has 300\d+ bytes, at most 262144/,
    )
    const two = await read('lines', '\uFEFF{"data":{"a":1}}\n\n{"key":"k","data":{}}')
    assert.ok(two.kind === 'items')
    const items = [{ data: { a: 1 } }, { key: 'k', data: {} }]
    assert.deepEqual([...unpack(two.packed)], [{ place: 0, items }])
  })

  it('schemas: those of a request are compiled together', async () => {
    const dice = createDice(5)
    const schemas = Array.from({ length: 10 }, (_, at) => ({
      param: `crew[${at}].output_schema`,
      schema: schema(dice) as Record<string, unknown>,
    }))
    const why = await whileFree(() => reasonOf(refuseSchemas(caller, schemas)))
    assert.match(why ?? 'compiled', /compiled|output_schema/)
  })

  it('texts: a comparison without a result counts them as replaced', async () => {
    const text = (seed: number): string =>
      Array.from({ length: 60_000 }, (_, at) => `w${(at * 7_919 + seed) % 9_973}`).join(' ')
    const pairs = Array.from({ length: 10 }, (_, at) => ({
      by: 'words' as const,
      before: text(at),
      after: text(at + 5_000),
    }))
    const parts = await whileFree(() => compareTexts(caller, pairs))
    assert.deepEqual(
      parts.map((one) => one.map(({ kind }) => kind)),
      pairs.map(() => ['removed', 'added']),
    )
  })

  it('generated conditions and templates end with an outcome or a reason', async () => {
    const dice = createDice(11)
    const conditions = createConditions({ body: 'dyn' })
    const values = { body: { t: 'ab'.repeat(20_000), many: Array.from({ length: 2_000 }, String) } }
    const texts = Array.from({ length: 10 }, () => condition(dice))
    const fields = Array.from({ length: 3 }, (_, at) => ({
      name: `f${at}`,
      template: template(dice),
      isText: true,
    }))
    await whileFree(async () => {
      await conditions.evaluateAll(caller, [{ texts, values }])
      await fillFields(caller, fields, values)
    })
  })
})
