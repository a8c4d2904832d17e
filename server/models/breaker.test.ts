import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Breaker } from './breaker.ts'

/** A provider and the runs that call it, by a clock that jumps from one event to the next. */
function simulate({ rate, forSeconds, isDown }: Scene): {
  answered: number
  calls: number[]
  meanwhile: number
  /** Second of the last call. */
  endedAt: number
} {
  let nowMs = 0
  let seed = 7
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const breaker = new Breaker({ nowMs: () => nowMs, random })
  const events: { atMs: number; run: () => void }[] = []
  const at = (atMs: number, run: () => void): void => {
    const place = events.findIndex((event) => event.atMs > atMs)
    events.splice(place === -1 ? events.length : place, 0, { atMs, run })
  }
  const calls: number[] = []
  let answered = 0
  let meanwhile = 0
  const call = (): void => {
    const admission = breaker.admit()
    if (admission.kind === 'wait') return at(nowMs + admission.waitMs, call)
    const second = Math.floor(nowMs / 1_000)
    calls[second] = (calls[second] ?? 0) + 1
    const fails = isDown(nowMs / 1_000)
    if (fails) meanwhile += 1
    at(nowMs + 100, () => {
      admission.done(fails ? 'failed' : 'answered')
      if (!fails) answered += 1
      else at(nowMs + (breaker.isClosed ? 500 * random() : breaker.whenNextMs()), call)
    })
  }
  for (let n = 0; n < rate * forSeconds; n += 1) at((n * 1_000) / rate, call)
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    nowMs = event.atMs
    event.run()
  }
  return { answered, calls, meanwhile, endedAt: calls.length }
}

interface Scene {
  /** Runs a second. */
  rate: number
  forSeconds: number
  isDown: (second: number) => boolean
}

const within =
  (from: number, to: number) =>
  (second: number): boolean =>
    second >= from && second < to

describe('the breaker of a provider', () => {
  const scenes: [string, Scene['isDown'], number][] = [
    ['an outage of 30 s', within(60, 90), 60],
    ['an outage of 10 minutes', within(60, 660), 100],
    ['one that flaps', (second) => second > 60 && second < 180 && second % 20 < 8, 200],
  ]
  for (const [name, isDown, mostInVain] of scenes) {
    it(`brings every call through ${name}, few in vain, and never at twice the normal rate`, () => {
      const rate = 20
      const { answered, calls, meanwhile } = simulate({ rate, forSeconds: 300, isDown })
      assert.equal(answered, rate * 300)
      assert.ok(meanwhile <= mostInVain, `${meanwhile} calls while it was down`)
      const peak = Math.max(...[...calls].map((count) => count ?? 0))
      assert.ok(peak <= 2 * rate, `${peak} calls in a second, ${rate} are normal`)
    })
  }

  it('knows soon after the start what is normal, and catches up at more than that', () => {
    const { calls, endedAt } = simulate({ rate: 20, forSeconds: 120, isDown: within(15, 45) })
    assert.ok(Math.max(...[...calls].map((count) => count ?? 0)) <= 40)
    // 1,000 calls wait when the first is let through; 15 a second more go out than come in.
    assert.ok(endedAt <= 140, `caught up after ${endedAt} s`)
  })

  const make = () => {
    const clock = { nowMs: 0 }
    const breaker = new Breaker({ nowMs: () => clock.nowMs, random: () => 0.5 })
    const call = (result: 'answered' | 'failed' | 'unknown', askedMs?: number) => {
      const admission = breaker.admit()
      if (admission.kind === 'go') admission.done(result, askedMs)
      return admission.kind
    }
    return { clock, breaker, call }
  }

  it('opens after five failures without an answer between, and lets one call try', () => {
    const { clock, breaker, call } = make()
    for (const result of ['failed', 'failed', 'answered', 'failed', 'failed'] as const) call(result)
    for (let n = 0; n < 2; n += 1) call('failed')
    assert.equal(breaker.isClosed, true)
    call('failed')
    assert.equal(call('answered'), 'wait')
    clock.nowMs = 1_000
    const probe = breaker.admit()
    assert.equal(probe.kind, 'go')
    assert.equal(breaker.admit().kind, 'wait')
    if (probe.kind === 'go') probe.done('unknown')
    assert.equal(call('answered'), 'go', 'another one finds out')
  })

  it('does not hold those back for ever who are more than before', () => {
    const { clock, breaker, call } = make()
    for (let n = 0; n < 60; n += 1) {
      call('answered')
      clock.nowMs += 1_000
    }
    for (let n = 0; n < 5; n += 1) call('failed')
    const went: number[] = []
    for (let tick = 0; tick < 36_000; tick += 1) {
      clock.nowMs += 100
      const minute = Math.floor(tick / 600)
      if (call('answered') === 'go') went[minute] = (went[minute] ?? 0) + 1
    }
    const first = went.slice(0, 15)
    assert.ok(Math.max(...first) <= 120, `${first.join(' ')} in a minute, 60 were normal`)
    assert.ok(went.at(-1) === 600 && breaker.isClosed, went.join(' '))
  })

  it('opens at once for as long as the provider asks', () => {
    const { clock, call } = make()
    call('failed', 120_000)
    clock.nowMs = 119_000
    assert.equal(call('answered'), 'wait')
    clock.nowMs = 121_000
    assert.equal(call('answered'), 'go')
  })

  it('does not mind what says nothing of the provider', () => {
    const { breaker, call } = make()
    for (let n = 0; n < 20; n += 1) call('unknown')
    assert.equal(breaker.isClosed, true)
  })
})
