import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SendPace } from './send-pace.ts'

const mb = 1024 * 1024
const { signal } = new AbortController()

/** A pace whose clock advances with each wait, and the sum of the waits. */
function makePace() {
  let waitedMs = 0
  let nowMs = 0
  const wait = async (ms: number): Promise<void> => {
    waitedMs += ms
    nowMs += ms
  }
  const pace = new SendPace({ now: () => nowMs, wait })
  return {
    pass: async (address: string, bytes: number): Promise<number> => {
      waitedMs = 0
      await pace.pass(address, bytes, signal)
      return Math.round(waitedMs)
    },
    rest: (ms: number) => void (nowMs += ms),
  }
}

it('a page leaves at once, and what comes after it at three quarters of all', async () => {
  const { pass, rest } = makePace()
  assert.equal(await pass('a', 9 * mb), 0)
  assert.equal(await pass('a', 18 * mb), 0)
  assert.equal(await pass('a', mb), 1_000)
  rest(60_000)
  assert.equal(await pass('a', mb), 0)
})

it('an address that waits does not make another one wait', async () => {
  const { pass } = makePace()
  assert.equal(await pass('a', 18 * mb), 0)
  for (let part = 0; part < 100; part++) assert.ok((await pass('a', mb)) > 0)
  assert.equal(await pass('b', mb), 0)
})

it('who has left no longer waits', async () => {
  const pace = new SendPace()
  const left = new AbortController()
  void pace.pass('a', 90 * mb, left.signal)
  const waiting = pace.pass('a', mb, left.signal)
  left.abort()
  await assert.rejects(Promise.resolve(waiting), { name: 'AbortError' })
})
