import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf } from '../../../test/api-client.ts'
import { startTestApp } from '../../../test/test-app.ts'
import { startTrainer } from '../../../rig/trainer.ts'
import { maxTrainingBytes } from './limits.ts'
import { fixture } from '../../../test/fixture.ts'
import { pluck } from '../../../test/pluck.ts'

const good = (number: number) =>
  JSON.stringify({ input: `Question ${number}?`, output: `Answer ${number}.` })
const chat = (...messages: unknown[]) => JSON.stringify({ messages })
const user = { role: 'user', content: 'hello' }
const assistant = { role: 'assistant', content: 'hi' }
const ten = Array.from({ length: 10 }, (_, number) => good(number))
/** Ten lines, of which the seventh is `line`. */
const with7 = (line: string) => ten.with(6, line).join('\n')

describe('an upload', () => {
  const trainer = fixture(() => startTrainer('openai'))
  const app = fixture(() =>
    startTestApp({ env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: trainer.url } }),
  )

  const fields = {
    name: 'Upload',
    base_model: 'gpt-4.1-mini-2025-04-14',
    source: 'upload',
  }
  const post = (training_data: unknown, path = '') =>
    app.call('POST', `/v1/fine-tunes${path}`, { body: { ...fields, training_data } })
  /** Posts bytes that JSON.stringify would not write. */
  const postRaw = (body: Buffer) =>
    fetch(`${app.url}/v1/fine-tunes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.key}`, 'content-type': 'application/json' },
      body: body as Uint8Array<ArrayBuffer>,
    }).then(async (response) => ({
      status: response.status,
      body: (await response.json()) as { error: { code: string; line?: number; message: string } },
    }))
  async function assertNothingCameOfIt() {
    assert.deepEqual(trainer.calls, [])
    const rows = await app.sql`select id from fine_tunes`
    assert.deepEqual(rows, [])
  }

  it('with a bad line is refused with the line and the reason', async () => {
    const cases: [string, RegExp][] = [
      [ten[6]?.slice(0, 20) ?? '', /not valid JSON/],
      [chat({ role: 'robot', content: 'x' }, assistant), /messages\[0\]\.role is "robot"/],
      [chat(user), /none of the assistant/],
      [chat(user, assistant, user), /last of messages is of the user/],
      [`[${chat(user, assistant)}]`, /an array, not an object/],
      ['7', /a number, not an object/],
      ['null', /null, not an object/],
      ['['.repeat(100_001), /more than 100000 lists and objects/],
      ['{}', /neither messages nor input and output/],
      ['{"messages":{}}', /an object, not an array/],
      ['{"messages":[]}', /messages is empty/],
      ['{"input":"x"}', /neither/],
      ['{"input":"x","output":7}', /output is not a text/],
      ['{"input":"x","output":" "}', /last message is empty/],
      [chat(7, assistant), /messages\[0\] is a number/],
      [chat({ role: 'user' }, assistant), /messages\[0\]\.content is missing/],
      [chat({ role: 'user', content: [] }, assistant), /content is an array, not a text/],
      [chat(user, { role: 'assistant', tool_calls: [] }), /tool_calls/],
      [chat({ role: 'user', content: 'a\0b' }, assistant), /messages\[0\]\.content holds a NUL/],
      [`${ten[6]}\0`, /holds a NUL/],
      ['{"input":"\\ud800","output":"x"}', /unpaired surrogate/],
      ['{"input":"x <|endoftext|>","output":"x"}', /control token <\|endoftext\|>/],
      ['{"input":"x <|im_start|>","output":"x"}', /control token <\|im_start\|>/],
    ]
    for (const [line, words] of cases) {
      const { status, body } = await post(with7(line))
      assert.equal(status, 400, line)
      assert.equal(body.error.code, 'invalid_training_data', line)
      assert.equal(body.error.param, 'training_data')
      assert.equal(body.error.line, 7, line)
      assert.match(body.error.message, /line 7 /)
      assert.match(body.error.message, words)
    }
    await assertNothingCameOfIt()
  })

  it('of too few examples, or none, is refused with their number', async () => {
    for (const [data, count] of [
      ['', 0],
      ['\n \r\n', 0],
      [ten.slice(1).join('\n'), 9],
    ] as const) {
      const { status, body } = await post(data)
      assert.equal(status, 400)
      assert.equal(body.error.code, 'too_few_examples')
      assert.match(body.error.message, new RegExp(`${count} examples, at least 10`))
    }
    await assertNothingCameOfIt()
  })

  it('with bytes that are no UTF-8, or a NUL as it stands, is refused with the line', async () => {
    const text = JSON.stringify({ ...fields, training_data: with7('{"input":"BAD","output":"x"}') })
    for (const [byte, words] of [
      [0xff, /line 7 of training_data is not valid UTF-8/],
      [0x00, /line 7 .* a NUL/],
    ] as const) {
      const bytes = Buffer.from(text)
      bytes[bytes.indexOf('BAD')] = byte
      const { status, body } = await postRaw(bytes)
      assert.equal(status, 400)
      assert.equal(body.error.line, 7)
      assert.match(body.error.message, words)
    }
    const broken = await postRaw(Buffer.from(text.slice(0, -3)))
    assert.deepEqual(codeOf(broken), [400, 'invalid_json'])
    const badName = await postRaw(Buffer.from('{"name":"\xff"}', 'latin1'))
    assert.deepEqual(codeOf(badName), [400, 'invalid_json'])
    await assertNothingCameOfIt()
  })

  it('of 20 MB is taken, of one byte more refused', async () => {
    // `é` takes two bytes, so the test fails if characters are counted for bytes.
    const line = JSON.stringify({ input: 'é '.repeat(700), output: 'x' })
    const bytes = Buffer.byteLength(line) + 1
    const count = Math.floor(maxTrainingBytes / bytes)
    const rest = maxTrainingBytes - count * bytes
    const data = `${line}\n`.repeat(count) + ' '.repeat(rest)
    assert.equal(Buffer.byteLength(data), maxTrainingBytes)
    const over = await post(`${data} `)
    assert.deepEqual(codeOf(over), [413, 'training_data_too_large'])
    assert.match(over.body.error.message, /20971520 bytes \(20 MB\)/)
    await assertNothingCameOfIt()
    const { status, body } = await post(data, '/preview')
    assert.equal(status, 200)
    assert.deepEqual([body.data.example_count, body.data.problems], [count, []])

    // A client that keeps to ASCII sends three bytes for each byte of the data, which must still
    // fit.
    const ascii = '\\u00e9'.repeat(maxTrainingBytes / 2)
    const head = JSON.stringify(fields).slice(0, -1)
    const escaped = await postRaw(Buffer.from(`${head},"training_data":"${ascii}"}`))
    assert.deepEqual([escaped.status, escaped.body.error.line], [400, 1])
    const huge = await postRaw(Buffer.alloc(64 * 1024 * 1024, ' '))
    assert.deepEqual(codeOf(huge), [413, 'body_too_large'])
    await assertNothingCameOfIt()
  })

  it('may have a byte order mark, CRLF, blank lines, tool calls and any script', async () => {
    const lines = [
      ...ten,
      chat({ role: 'system', content: 'Be brief.' }, user, assistant),
      chat(user, { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] }),
      chat({ role: 'user', content: 'Grüße aus 東京 🙂' }, assistant),
    ]
    const { status, body } = await post(`\uFEFF${lines.join('\r\n\r\n')}\r\n`)
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.data.example_count, 13)
    const content = trainer.files.get(trainer.jobs[0]?.fileId ?? '')?.content ?? ''
    assert.equal(content.split('\n').length, 14)
    assert.equal(content.split('\n')[10], lines[10])
    assert.ok(!/\r|\uFEFF/.test(content))
    for (const line of content.trim().split('\n')) JSON.parse(line)
  })

  it('is previewed with its counts, cost, first examples and all problems', async () => {
    const { example_count, token_count, estimated_cost_usd, examples, problems } = await app.post(
      '/v1/fine-tunes/preview',
      { ...fields, training_data: ten.join('\n'), hyperparameters: { epochs: 2 } },
    )
    assert.deepEqual([example_count, examples.length, problems], [10, 3, []])
    assert.deepEqual(examples[0].messages[1], { role: 'assistant', content: 'Answer 0.' })
    assert.ok(token_count > 100 && token_count < 300, String(token_count))
    assert.ok(Math.abs(estimated_cost_usd - (token_count * 2 * 5) / 1e6) < 1e-9)

    const bad = Array.from({ length: 12 }, () => '{')
    const answer = await post([...ten.slice(2), '', ...bad].join('\n'), '/preview')
    assert.equal(answer.status, 200)
    assert.deepEqual(
      pluck(answer.body.data.problems, 'line'),
      Array.from({ length: 10 }, (_, index) => index + 10),
    )
    const few = await post(good(1), '/preview')
    assert.deepEqual(few.body.data.problems, [
      { line: null, message: 'there are 1 examples, at least 10' },
    ])
    const unknown = await app.post('/v1/fine-tunes/preview', {
      ...fields,
      base_model: 'codestral-latest',
      training_data: ten.join('\n'),
    })
    assert.equal(unknown.estimated_cost_usd, null)
  })

  it('that no tokenizer likes is counted all the same', async () => {
    const hard = ['a'.repeat(100_000), '名'.repeat(100_000), '\\n'.repeat(100_000)]
    const { status, body } = await post(
      [...ten, ...hard.map((input) => `{"input":"${input}","output":"x"}`)].join('\n'),
      '/preview',
    )
    assert.equal(status, 200)
    assert.equal(body.data.example_count, 13)
    assert.ok(body.data.token_count > 10_000)
  })

  it('waits its turn where many come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => post(ten.join('\n'), '/preview')),
    )
    assert.deepEqual(new Set(pluck(answers, 'status')), new Set([200]))
  })

  it('goes to the provider with three others of its account at most', async () => {
    const gate = Promise.withResolvers<void>()
    let sent = 0
    trainer.intervene = (call) => {
      if (call !== 'POST /v1/files') return undefined
      sent++
      return { until: gate.promise }
    }
    const creates = Array.from({ length: 8 }, () => post(ten.join('\n')))
    await trainer.until(() => sent === 4)
    // The preview's body is read after all the others.
    assert.equal((await post(ten.join('\n'), '/preview')).status, 200)
    assert.equal(sent, 4)
    gate.resolve()
    const answers = await Promise.all(creates)
    assert.deepEqual(new Set(pluck(answers, 'status')), new Set([201]))
    trainer.intervene = () => undefined
  })
})
