import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeBody } from './body.ts'

const at = new Date('2026-11-21T09:00:00.000Z')
const snapshot = { id: 'run_1', status: 'completed', sequence: 7 }
const make = (input: string, output: string | null, type = 'run.completed') =>
  JSON.parse(makeBody({ type, at, snapshot, run: { input, output } }))

it('a body has type, timestamp and the run as it was', () => {
  assert.deepEqual(make('in', 'out'), {
    type: 'run.completed',
    timestamp: '2026-11-21T09:00:00.000Z',
    data: { ...snapshot, input: 'in', output: 'out' },
  })
})

it('only a completed run has its output, whatever it has by now', () => {
  assert.equal(make('in', 'out', 'run.started').data.output, null)
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
    const text = makeBody({ type: 'run.completed', at, snapshot, run: { input, output } })
    const bytes = Buffer.byteLength(text)
    assert.ok(bytes <= 65_536 && bytes > 65_500, String(bytes))
    const { data } = JSON.parse(text)
    assert.equal(data.truncated, true)
    assert.ok(input.startsWith(data.input) && output.startsWith(data.output))
    assert.ok(data.input.isWellFormed() && data.output.isWellFormed())
    assert.ok(data.input.length > 0 && data.output.length > 0)
  })
}

it('a body of exactly 64 KB is whole', () => {
  const empty = Buffer.byteLength(
    makeBody({ type: 'run.failed', at, snapshot, run: { input: '', output: null } }),
  )
  const whole = make('i'.repeat(65_536 - empty), null, 'run.failed')
  assert.equal(whole.data.truncated, undefined)
  assert.equal(make('i'.repeat(65_537 - empty), null, 'run.failed').data.truncated, true)
})
