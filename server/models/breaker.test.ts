import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Breaker, type Admission } from './breaker.ts'

/** A provider, processes, and the runs that they carry, by a clock that jumps from one event to the next. */
function simulate({ rate, forSeconds, isDown, shares = () => [1], isTold = true }: Scene): Seen {
  let nowMs = 0
  let seed = 7
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const clock = { nowMs: () => nowMs, random }
  const breakers = shares(0).map(() => new Breaker(clock))
  const events: { atMs: number; run: () => void }[] = []
  const at = (atMs: number, run: () => void): void => {
    let [place, end] = [0, events.length]
    while (place < end) {
      const middle = (place + end) >> 1
      if ((events[middle]?.atMs ?? 0) <= atMs) place = middle + 1
      else end = middle
    }
    events.splice(place, 0, { atMs, run })
  }
  const seen: Seen = { calls: [], answered: 0, meanwhile: 0, endedAt: 0 }
  const take = (): void => {
    let drawn = random()
    const place = shares(nowMs / 1_000).findIndex((share) => (drawn -= share) < 0)
    const breaker = breakers[place] as Breaker
    enter(breaker, breaker.admit())
  }
  // Runs that are put off come in bunches: their jobs are looked for now and then.
  const putOff = (waitMs: number): void => at(Math.ceil((nowMs + waitMs) / pollMs) * pollMs, take)
  const enter = (breaker: Breaker, admission: Admission): void => {
    if (admission.kind === 'wait') return putOff(admission.waitMs)
    if (admission.kind === 'soon') {
      return at(nowMs + admission.waitMs, () => enter(breaker, admission.enter()))
    }
    seen.calls.push(nowMs)
    const fails = isDown(nowMs / 1_000)
    if (fails) seen.meanwhile += 1
    at(nowMs + 100, () => {
      admission.done(fails ? 'failed' : 'answered')
      if (fails)
        return breaker.isClosed ? at(nowMs + 500 * random(), take) : putOff(breaker.whenNextMs())
      seen.answered += 1
      seen.endedAt = nowMs / 1_000
      open -= 1
    })
  }
  let open = 0
  const arrive = (): void => {
    if (nowMs >= forSeconds * 1_000) return
    open += 1
    take()
    at(nowMs + 1_000 / (typeof rate === 'number' ? rate : rate(nowMs / 1_000)), arrive)
  }
  at(0, arrive)
  const tell = (place: number): void => {
    if (open === 0 && nowMs >= forSeconds * 1_000) return
    const others = breakers.filter((_, number) => number !== place)
    breakers[place]?.learn(
      'p',
      others.map(({ pace }) => ({ paces: { p: pace }, isAlive: true, silentMs: 0 })),
    )
    at(nowMs + 5_000, () => tell(place))
  }
  if (isTold) breakers.forEach((_, place) => at(place * 700, () => tell(place)))
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    nowMs = event.atMs
    event.run()
  }
  return seen
}

interface Seen {
  /** When the provider was called, in milliseconds. */
  calls: number[]
  answered: number
  /** Calls while it was down. */
  meanwhile: number
  /** Second of the last answer. */
  endedAt: number
}

interface Scene {
  /** Runs a second. */
  rate: number | ((second: number) => number)
  forSeconds: number
  isDown: (second: number) => boolean
  /** Which part of the runs each process takes at a time. */
  shares?: ((second: number) => number[]) | undefined
  /** Whether the processes know of each other. */
  isTold?: boolean
}

const pollMs = 500

/** Most calls in any second. */
function peakOf(calls: number[]): number {
  let first = 0
  return Math.max(
    ...calls.map((atMs, place) => {
      while (atMs - (calls[first] ?? 0) >= 1_000) first += 1
      return place - first + 1
    }),
  )
}

const within =
  (from: number, to: number) =>
  (second: number): boolean =>
    second >= from && second < to

describe('the breaker of a provider', () => {
  const flaps = (second: number): boolean => second > 60 && second < 180 && second % 20 < 8
  const scenes: [string, Scene['isDown'], number, number][] = [
    ['an outage of 30 s', within(60, 90), 60, 320],
    ['an outage of 10 minutes', within(60, 660), 100, 1_300],
    ['one that flaps', flaps, 200, 460],
  ]
  const fleets: [string, number, Scene['shares']][] = [
    ['one process', 1, () => [1]],
    ['two processes', 2, () => [0.5, 0.5]],
    [
      'two, one of which had nothing to do before',
      2,
      (second) => (second < 60 ? [1, 0] : [0.5, 0.5]),
    ],
    [
      'two, one of which takes next to nothing after',
      2,
      (second) => (second < 60 ? [0.5, 0.5] : [0.9, 0.1]),
    ],
    ['eight processes', 8, () => Array.from({ length: 8 }, () => 1 / 8)],
  ]
  for (const [outage, isDown, mostInVain, endsBy] of scenes) {
    for (const [fleet, processes, shares] of fleets) {
      it(`of ${fleet}: brings every call through ${outage}, soon, few in vain, and without a herd`, (t) => {
        const rate = 20
        const forSeconds = 300
        const { answered, calls, meanwhile, endedAt } = simulate({
          rate,
          forSeconds,
          isDown,
          shares,
        })
        const peak = peakOf(calls)
        t.diagnostic(`${meanwhile} in vain, ${peak} in a second, ended after ${endedAt} s`)
        assert.equal(answered, rate * forSeconds)
        assert.ok(meanwhile <= mostInVain * processes)
        // Each process sends at even gaps, beside the others: one more of each may come in a second.
        assert.ok(peak <= 2 * rate + processes)
        assert.ok(endedAt <= endsBy)
      })
    }
  }

  it('knows soon after the start what is normal, and catches up at more than that', () => {
    const { calls, endedAt } = simulate({ rate: 20, forSeconds: 120, isDown: within(15, 45) })
    assert.ok(peakOf(calls) <= 40, `${peakOf(calls)} calls in a second`)
    // 1,000 calls wait when the first is let through; 15 a second more go out than come in.
    assert.ok(endedAt <= 140, `caught up after ${endedAt} s`)
  })

  it('that nobody told of the others takes what it saw itself for normal', () => {
    const shares = (second: number): number[] => (second < 60 ? [1, 0] : [0.5, 0.5])
    const scene = { rate: 20, forSeconds: 700, isDown: within(60, 660), shares }
    const peaks = [true, false].map((isTold) => peakOf(simulate({ ...scene, isTold }).calls))
    assert.ok((peaks[0] ?? 0) <= 42 && (peaks[1] ?? 0) > 42, `${peaks.join(', ')} in a second`)
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
    const rates = (second: number): number => (second < 60 ? 1 : 3)
    const { calls } = simulate({ rate: rates, forSeconds: 3_600, isDown: within(60, 70) })
    const inMinute = (minute: number): number =>
      calls.filter((atMs) => Math.floor(atMs / 60_000) === minute).length
    const first = Array.from({ length: 14 }, (_, minute) => inMinute(minute + 1))
    assert.ok(Math.max(...first) <= 120, `${first.join(' ')} in a minute, 60 were normal`)
    assert.ok(inMinute(58) >= 175, `${inMinute(58)} in the last minute`)
  })

  it('keeps no place for a call that has a fallback', () => {
    const { clock, breaker, call } = make()
    for (let n = 0; n < 5; n += 1) call('failed')
    for (let n = 0; n < 1_000; n += 1) assert.equal(breaker.admit(false).kind, 'wait')
    const admission = breaker.admit()
    assert.ok(admission.kind === 'wait' && admission.waitMs < 2_000)
    clock.nowMs = 2_000
    assert.equal(call('answered'), 'go')
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
