import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { readConfig } from '../../start/config.ts'
import {
  decideNext,
  isSuccess,
  makeBody,
  makeSecret,
  readRetryAfter,
  signHeaders,
  type AttemptResult,
} from './delivery.ts'

describe('its body', () => {
  const at = new Date('2026-11-21T09:00:00.000Z')
  const snapshot = { id: 'run_1', status: 'completed', sequence: 7 }
  const objects = { data: { order: 1 }, output_json: { total: 2 } }
  const make = (input: string, output: string | null, type = 'run.completed') =>
    JSON.parse(makeBody({ type, at, snapshot, run: { input, output, ...objects } }))

  it('a body has type, timestamp and the run as it was', () => {
    assert.deepEqual(make('in', 'out'), {
      type: 'run.completed',
      timestamp: '2026-11-21T09:00:00.000Z',
      data: { ...snapshot, ...objects, input: 'in', output: 'out' },
    })
  })

  it('only a completed run has its output, whatever it has by now', () => {
    const { data } = make('in', 'out', 'run.started')
    assert.deepEqual([data.output, data.output_json, data.data], [null, null, objects.data])
  })

  it('a test event has its snapshot alone', () => {
    const body = JSON.parse(makeBody({ type: 'webhook.test', at, snapshot, run: null }))
    assert.deepEqual(body.data, snapshot)
  })

  for (const [name, input, output] of [
    ['long output', 'in', 'o'.repeat(200_000)],
    ['long input', '漢'.repeat(16_000) + 'i'.repeat(30_000), 'out'],
    ['both long', '🙂'.repeat(16_000), '\n"'.repeat(60_000)],
  ] as const) {
    it(`a body over 64 KB is cut at a character and says so: ${name}`, () => {
      const run = { input, output, ...objects }
      const text = makeBody({ type: 'run.completed', at, snapshot, run })
      const bytes = Buffer.byteLength(text)
      assert.ok(bytes <= 65_536 && bytes > 65_500, String(bytes))
      const { data } = JSON.parse(text)
      assert.equal(data.truncated, true)
      assert.deepEqual([data.data, data.output_json], [null, null])
      assert.ok(input.startsWith(data.input) && output.startsWith(data.output))
      assert.ok(data.input.isWellFormed() && data.output.isWellFormed())
      assert.ok(data.input.length > 0 && data.output.length > 0)
    })
  }

  it('a body of many calls that wait keeps within 64 KB what they are', () => {
    const call = (place: number, bytes: number) => ({
      id: `pnd_${place}`,
      kind: 'approval' as const,
      prompt: `clerk asks ${'x'.repeat(400)}`,
      call_id: `call_${place}`,
      tool: 'email.send',
      tool_input: { text: 'x'.repeat(bytes) },
    })
    const makeWith = (calls: ReturnType<typeof call>[]) => {
      const pending = { ...calls[0], role: 'clerk', calls }
      const run = { input: 'go', output: null, ...objects }
      const text = makeBody({ type: 'run.waiting_input', at, snapshot: { pending }, run })
      assert.ok(Buffer.byteLength(text) <= 65_536)
      return JSON.parse(text).data
    }
    const few = [call(0, 100), call(1, 100)]
    assert.deepEqual(makeWith(few).pending.calls, few)
    const large = [
      call(0, 32_000),
      ...Array.from({ length: 7 }, (_, place) => call(place + 1, 30_000)),
    ]
    const { pending, truncated } = makeWith(large)
    assert.deepEqual([truncated, pending.tool_input], [true, large[0]?.tool_input])
    const { tool_input: _, prompt = '', ...second } = large[1] ?? {}
    assert.deepEqual(pending.calls[1], { ...second, prompt: prompt.slice(0, 200) })
    assert.equal(pending.calls.length, 8)
    const many = Array.from({ length: 32 }, (_, place) => call(place, 8_000))
    assert.ok(makeWith(many).pending.calls.length >= 20)
  })

  it('a body of exactly 64 KB is whole', () => {
    const empty = Buffer.byteLength(
      makeBody({ type: 'run.failed', at, snapshot, run: { input: '', output: null, ...objects } }),
    )
    const whole = make('i'.repeat(65_536 - empty), null, 'run.failed')
    assert.equal(whole.data.truncated, undefined)
    assert.equal(make('i'.repeat(65_537 - empty), null, 'run.failed').data.truncated, true)
  })
})

describe('its signature', () => {
  const body = JSON.stringify({ type: 'run.completed', data: { text: 'é\n' } })
  const now = () => Math.floor(Date.now() / 1000)
  const sign = (secrets: string[], timestampSeconds = now()) =>
    signHeaders({ id: 'evt_1', timestampSeconds, body }, secrets)

  it('the reference package verifies what is signed', () => {
    const secret = makeSecret()
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(new Webhook(secret).verify(body, sign([secret])), JSON.parse(body))
  })

  it('with two secrets, each of them verifies', () => {
    const [before, after] = [makeSecret(), makeSecret()]
    const headers = sign([after, before])
    for (const secret of [before, after]) new Webhook(secret).verify(body, headers)
  })

  it('a changed byte, an old timestamp and a wrong secret are refused', () => {
    const secret = makeSecret()
    const webhook = new Webhook(secret)
    assert.throws(() => webhook.verify(`${body} `, sign([secret])))
    assert.throws(() => webhook.verify(body, sign([secret], now() - 600)))
    assert.throws(() => webhook.verify(body, { ...sign([secret]), 'webhook-id': 'evt_2' }))
    assert.throws(() => new Webhook(makeSecret()).verify(body, sign([secret])))
  })
})

const schedule = readConfig({}).webhookSchedule
const failed: AttemptResult = { status: 500, retryAfterSeconds: undefined }
const after = (scheduledBefore: number, fields: Partial<Parameters<typeof decideNext>[0]> = {}) =>
  decideNext({ result: failed, isManual: false, scheduledBefore, ...fields }, schedule, () => 0.5)

describe('what follows an attempt', () => {
  it('is the end for 2xx only', () => {
    for (const status of [200, 204, 299]) {
      assert.deepEqual(after(0, { result: { ...failed, status } }), { kind: 'succeeded' })
    }
    for (const status of [0, 199, 300, 301, 404, 410, 500]) assert.ok(!isSuccess(status))
  })

  it('follows the schedule of eight attempts, then is a failed event', () => {
    const delays = schedule.map((_, scheduledBefore) => after(scheduledBefore))
    assert.deepEqual(delays, [
      ...[5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((delaySeconds) => ({
        kind: 'pending',
        delaySeconds,
      })),
      { kind: 'failed', isFailedEvent: true },
    ])
  })

  it('varies by a fifth', () => {
    const delay = (random: number) =>
      decideNext({ result: failed, isManual: false, scheduledBefore: 1 }, schedule, () => random)
    assert.deepEqual(delay(0), { kind: 'pending', delaySeconds: 240 })
    assert.deepEqual(delay(1), { kind: 'pending', delaySeconds: 360 })
  })

  it('honours Retry-After up to twice the step, and never shortens it', () => {
    const asked = (retryAfterSeconds: number) =>
      after(1, { result: { ...failed, status: 429, retryAfterSeconds } })
    assert.deepEqual(asked(400), { kind: 'pending', delaySeconds: 400 })
    assert.deepEqual(asked(9_999), { kind: 'pending', delaySeconds: 600 })
    assert.deepEqual(asked(1), { kind: 'pending', delaySeconds: 300 })
  })

  it('takes no step and is no failed event when the attempt was by hand', () => {
    assert.deepEqual(after(1, { isManual: true }), { kind: 'pending', delaySeconds: 5 })
    assert.deepEqual(after(8, { isManual: true }), { kind: 'failed', isFailedEvent: false })
  })
})

it('Retry-After is read as seconds or as a date', () => {
  const now = Date.parse('2026-11-21T09:00:00Z')
  assert.equal(readRetryAfter('120', now), 120)
  assert.equal(readRetryAfter('Sat, 21 Nov 2026 09:01:00 GMT', now), 60)
  assert.equal(readRetryAfter('Sat, 21 Nov 2026 08:00:00 GMT', now), 0)
  for (const bad of [undefined, '', 'soon', '-1']) {
    assert.ok((readRetryAfter(bad, now) ?? 0) === 0)
  }
})
