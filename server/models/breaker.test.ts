import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Breakers, type Admission, type CallEnd, type CallResult } from './breaker.ts'
import { ModelError } from './contract.ts'
import { decideRetry } from './retry.ts'

/**
 * Simulates a provider, processes and their runs with a clock that jumps from event to event. Runs
 * arrive evenly, and each makes one call.
 */
interface Scene {
  /** Runs that arrive in a second. */
  rate: number
  seconds: number
  /** The result of a call that starts in this second, given the calls in flight. */
  answers: (second: number, inFlight: number) => 'well' | Fault
  /** The second from which on the provider stays up. */
  backAt: number
  callMs?: number
  processes?: number
  maxInFlight?: number
  isIdle?: (second: number) => boolean
}

/**
 * How a call fails: with an error at once, without a connection, by its time-out, or by a rate
 * limit.
 */
type Fault = 'fails' | 'refuses' | 'hangs' | 'limits' | 'limits for long'

interface Run {
  arrivedAt: number
  doneAt: number
  tries: number
}

interface Seen {
  runs: Run[]
  failed: number
  inVain: number
  /** Most calls in flight during the first second after the provider came back. */
  firstSecond: number
}

const timeoutMs = 120_000
/** Postponed runs come back in bunches, because workers look for due jobs at intervals. */
const pollMs = 500

const ends: Record<Fault, CallEnd & { afterMs: number }> = {
  fails: { result: 'failed', words: 'status 503', afterMs: 20 },
  refuses: { result: 'unreachable', words: 'ECONNREFUSED', afterMs: 2 },
  hangs: { result: 'failed', words: 'no answer', afterMs: timeoutMs },
  limits: { result: 'answered', afterMs: 20 },
  'limits for long': { result: 'failed', askedMs: 61_000, words: 'status 429', afterMs: 20 },
}

function simulate(scene: Scene): Seen {
  const { rate, seconds, answers, backAt, callMs = 300, processes = 1, maxInFlight = 500 } = scene
  let nowMs = 0
  let seed = 7
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const clock = { nowMs: () => nowMs, random }
  const fleet = Array.from({ length: processes }, () => new Breakers(maxInFlight, clock))
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
  const seen: Seen = { runs: [], failed: 0, inVain: 0, firstSecond: 0 }
  let [inFlight, sinceBack] = [0, 0]
  const take = (run: Run): void => {
    const breakers = fleet[Math.floor(random() * processes)] as Breakers
    const admission = breakers.admit('model')
    if (admission.kind === 'wait') return putOff(run, admission.waitMs)
    const fault = answers(nowMs / 1_000, inFlight)
    const end = fault === 'well' ? { result: 'answered' as const, afterMs: callMs } : ends[fault]
    inFlight += 1
    const isSince = nowMs >= backAt * 1_000
    if (isSince) sinceBack += 1
    if (nowMs < backAt * 1_000 + 1_000) seen.firstSecond = Math.max(seen.firstSecond, sinceBack)
    at(nowMs + end.afterMs, () => {
      inFlight -= 1
      if (isSince) sinceBack -= 1
      const wait = admission.done(end)
      if (fault === 'well') return void (run.doneAt = nowMs / 1_000)
      seen.inVain += 1
      if (wait !== undefined) return putOff(run, wait.waitMs)
      run.tries += 1
      const kind = fault === 'limits' ? 'rate_limited' : 'unavailable'
      const decision = decideRetry(new ModelError(kind, ''), run.tries, random)
      if (decision.kind === 'fail') seen.failed += 1
      else at(nowMs + decision.delayMs, () => take(run))
    })
  }
  const putOff = (run: Run, waitMs: number): void => {
    if (waitMs <= 250) return at(nowMs + waitMs, () => take(run))
    at(Math.ceil((nowMs + waitMs) / pollMs) * pollMs, () => take(run))
  }
  const arrive = (): void => {
    if (nowMs >= seconds * 1_000) return
    if (scene.isIdle?.(nowMs / 1_000) !== true) {
      const run = { arrivedAt: nowMs / 1_000, doneAt: Infinity, tries: 0 }
      seen.runs.push(run)
      take(run)
    }
    at(nowMs + 1_000 / rate, arrive)
  }
  at(0, arrive)
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    nowMs = event.atMs
    event.run()
  }
  return seen
}

const within =
  (from: number, to: number, fault: Fault) =>
  (second: number): 'well' | Fault =>
    second >= from && second < to ? fault : 'well'

const blips = (second: number): 'well' | Fault =>
  second >= 10 && second < 130 && second % 12 < 4 ? 'fails' : 'well'

describe('calls after an outage', () => {
  const scenes: Record<string, Omit<Scene, 'rate' | 'seconds'> & { seconds?: number }> = {
    'that is a blip of 4 s': { answers: within(10, 14, 'fails'), backAt: 14 },
    'of refused connections': { answers: within(10, 14, 'refuses'), backAt: 14 },
    'there at the start': { answers: within(0, 4, 'fails'), backAt: 4 },
    'of 20 s': { answers: within(10, 30, 'fails'), backAt: 30 },
    'of a minute': { answers: within(10, 70, 'fails'), backAt: 70 },
    'after an idle hour': {
      answers: within(3_700, 3_704, 'fails'),
      backAt: 3_704,
      seconds: 3_760,
      isIdle: (second) => second > 30 && second < 3_690,
    },
    'that an idle hour follows': {
      answers: within(10, 20, 'fails'),
      backAt: 20,
      seconds: 3_760,
      isIdle: (second) => second > 12 && second < 3_700,
    },
    'one of many blips': { answers: blips, backAt: 124, seconds: 180 },
    'for slow models': { answers: within(10, 14, 'fails'), backAt: 14, callMs: 2_000 },
    'with calls that hang on dead connections': {
      answers: within(10, 14, 'hangs'),
      backAt: 14,
      seconds: 200,
    },
    'that a limit without a time follows': {
      answers: (second) =>
        second >= 12 && second < 14 ? 'limits' : within(10, 12, 'fails')(second),
      backAt: 14,
    },
  }
  for (const [name, { seconds = 120, ...scene }] of Object.entries(scenes)) {
    for (const [processes, rate] of [
      [1, 16],
      [2, 32],
      [8, 32],
    ] as const) {
      it(`${name}, ${processes} processes: new runs take as long as ever after 10 s, all are done after 20 s`, (t) => {
        const { backAt, callMs = 300 } = scene
        const { runs, failed, inVain, firstSecond } = simulate({
          ...scene,
          seconds,
          rate,
          processes,
        })
        const late = runs.filter(({ arrivedAt }) => arrivedAt >= backAt + 10)
        const slowest = Math.max(...late.map(({ arrivedAt, doneAt }) => doneAt - arrivedAt))
        // A call that hangs fails only when its time-out is over.
        const hung = runs.filter(({ doneAt }) => doneAt > backAt + 100)
        const waited = runs.filter((run) => run.arrivedAt < backAt && !hung.includes(run))
        const gone = Math.max(...waited.map(({ doneAt }) => doneAt)) - backAt
        t.diagnostic(`${inVain} in vain, new ones ≤ ${slowest.toFixed(2)} s, gone after ${gone} s`)
        assert.equal(failed, 0)
        assert.ok(slowest <= callMs / 1_000 + 0.3, `${slowest} s`)
        assert.ok(gone <= 20, `what waited is gone after ${gone} s`)
        assert.ok(firstSecond <= 64 * processes, `${firstSecond} in flight in the first second`)
      })
    }
  }

  it('go out again when a limit with a time is over', () => {
    const answers = within(10, 14, 'limits for long')
    const { runs, failed } = simulate({ rate: 16, seconds: 140, answers, backAt: 14 })
    assert.equal(failed, 0)
    const early = runs.filter(({ doneAt }) => doneAt > 15 && doneAt < 70)
    assert.equal(early.length, 0, 'the provider has asked for 61 s')
    assert.ok(runs.every(({ doneAt, arrivedAt }) => doneAt < 95 || doneAt - arrivedAt < 1))
  })

  it('settle at what the provider takes', () => {
    // The provider accepts 20 calls at once and refuses others.
    const answers = (second: number, inFlight: number): 'well' | Fault =>
      (second >= 10 && second < 14) || inFlight >= 20 ? 'fails' : 'well'
    const { runs, failed } = simulate({ rate: 40, seconds: 120, answers, backAt: 14 })
    assert.equal(failed, 0)
    assert.ok(Math.max(...runs.map(({ doneAt }) => doneAt)) < 125)
  })

  it('are few while it lasts', () => {
    const { inVain } = simulate({
      rate: 16,
      seconds: 700,
      answers: within(10, 610, 'fails'),
      backAt: 610,
    })
    assert.ok(inVain < 250, `${inVain} calls in ten minutes`)
  })
})

function make(maxInFlight = 100) {
  const clock = { nowMs: 0 }
  const breakers = new Breakers(maxInFlight, { nowMs: () => clock.nowMs, random: () => 0.5 })
  const begin = (model = 'm', hasFallback = false) => {
    const admission = breakers.admit(model, hasFallback)
    return admission.kind === 'go' ? admission.done : undefined
  }
  const call = (result: CallResult, model = 'm', more: Partial<CallEnd> = {}) => {
    const done = begin(model)
    if (done === undefined) return 'held'
    return done({ result, words: 'away', ...more }) === undefined ? 'own' : 'outage'
  }
  const repeat = (times: number, result: CallResult, model = 'm'): string[] =>
    Array.from({ length: times }, () => call(result, model))
  return { clock, breakers, begin, call, repeat }
}

const isHeld = (admission: Admission) => admission.kind === 'wait'

describe('the breaker of a model', () => {
  it('opens after five failures in a row', () => {
    const { call, repeat } = make()
    repeat(4, 'failed')
    call('answered')
    assert.deepEqual(repeat(4, 'failed'), ['own', 'own', 'own', 'own'])
    assert.equal(call('failed'), 'outage')
    assert.equal(call('failed'), 'held')
  })

  it('does not mind what says nothing of the provider', () => {
    const { call, repeat } = make()
    repeat(20, 'unknown')
    assert.equal(call('answered'), 'own')
  })

  it('lets one probe out at intervals that double up to 3 s, also while the one before hangs', () => {
    const { clock, begin, repeat } = make()
    repeat(5, 'failed')
    const probes: number[] = []
    for (; clock.nowMs < 15_000; clock.nowMs += 50)
      if (begin() !== undefined) probes.push(clock.nowMs)
    assert.deepEqual(probes, [500, 1_500, 3_500, 6_500, 9_500, 12_500])
  })

  it('lets another call find out when a probe says nothing', () => {
    const { clock, call, repeat } = make()
    repeat(5, 'failed')
    clock.nowMs = 500
    call('unknown')
    assert.equal(call('answered'), 'own')
  })

  it('doubles the calls in flight with each round of answers, up to its limit', () => {
    const { clock, begin, repeat, call } = make(32)
    repeat(5, 'failed')
    clock.nowMs = 500
    call('answered')
    const rounds: number[] = []
    for (let round = 0; round < 5; round += 1) {
      const flying = Array.from({ length: 50 }, () => begin()).filter((done) => done !== undefined)
      rounds.push(flying.length)
      clock.nowMs += 300
      for (const done of flying) done({ result: 'answered' })
    }
    assert.deepEqual(rounds, [2, 4, 8, 16, 50])
  })

  it('halves them with a failure, once a round, and opens when nothing is left', () => {
    const { clock, begin, repeat, call } = make()
    repeat(5, 'failed')
    clock.nowMs = 500
    call('answered')
    for (const count of [2, 4]) {
      const flying = Array.from({ length: count }, () => begin())
      for (const done of flying) done?.({ result: 'answered' })
    }
    const flying = Array.from({ length: 8 }, () => begin())
    clock.nowMs += 10
    for (const done of flying.slice(0, 4)) done?.({ result: 'failed' })
    const free = Array.from({ length: 8 }, () => begin()).filter((done) => done !== undefined)
    assert.equal(free.length, 0, 'four of the eight are in flight, and the window is four')
    for (const done of flying.slice(4)) done?.({ result: 'failed' })
    assert.deepEqual(
      [call('failed'), call('failed'), call('failed'), call('answered')],
      ['outage', 'outage', 'outage', 'held'],
    )
  })

  it('doubles them with each second without a failure, however few calls were made', () => {
    const { clock, begin, repeat, call } = make()
    repeat(5, 'failed')
    clock.nowMs = 500
    call('answered')
    const free = () =>
      Array.from({ length: 200 }, () => begin()).filter((done) => done !== undefined)
    clock.nowMs = 2_500
    assert.equal(free().length, 8)
    clock.nowMs = 6_500
    assert.equal(free().length, 200, 'it is closed')
  })

  it('passes over calls that time out together long after others were answered', () => {
    const { clock, begin, call } = make()
    const hung = Array.from({ length: 20 }, () => begin())
    clock.nowMs = 119_000
    call('answered')
    clock.nowMs = 120_000
    for (const done of hung) assert.equal(done?.({ result: 'failed' }), undefined)
    assert.equal(call('answered'), 'own')
  })

  it('holds calls that began before it opened and fail after', () => {
    const { begin, repeat } = make()
    const before = Array.from({ length: 3 }, () => begin())
    repeat(5, 'failed')
    for (const done of before) assert.equal(done?.({ result: 'failed' })?.words, 'away')
  })

  it('opens at once for as long as the provider asks', () => {
    const { clock, call } = make()
    assert.equal(call('failed', 'm', { askedMs: 120_000 }), 'outage')
    clock.nowMs = 119_000
    assert.equal(call('answered'), 'held')
    clock.nowMs = 121_000
    assert.equal(call('answered'), 'own')
  })

  it("says the provider's last words, and whether it is back", () => {
    const { clock, breakers, call, repeat, begin } = make()
    repeat(5, 'failed')
    const away = breakers.admit('m')
    assert.deepEqual(away.kind === 'wait' && [away.words, away.isBack], ['away', false])
    clock.nowMs = 600
    call('failed', 'm', { words: 'status 502, no upstream' })
    const still = breakers.admit('m')
    assert.equal(still.kind === 'wait' && still.words, 'status 502, no upstream')
    clock.nowMs = 10_000
    call('answered')
    begin()
    begin()
    const back = breakers.admit('m')
    assert.equal(back.kind === 'wait' && back.isBack, true)
  })

  it('keeps no place in line for a call that has a fallback', () => {
    const { breakers, repeat } = make()
    repeat(5, 'failed')
    for (let n = 0; n < 1_000; n += 1) assert.ok(isHeld(breakers.admit('m', true)))
    const admission = breakers.admit('m')
    assert.ok(admission.kind === 'wait' && admission.waitMs <= 520)
  })
})

describe('the breakers of a provider', () => {
  it('hold no model for another one that fails', () => {
    const { call, repeat } = make()
    repeat(50, 'failed', 'dead')
    assert.equal(call('answered', 'mock'), 'own')
  })

  it('let the tries of a model count that fails while others answer', () => {
    const { clock, call, repeat } = make()
    repeat(5, 'failed', 'dead')
    clock.nowMs = 100
    call('answered', 'mock')
    assert.deepEqual(repeat(3, 'failed', 'dead'), ['own', 'own', 'own'])
    clock.nowMs = 60_200
    call('failed', 'dead')
    assert.equal(call('failed', 'dead'), 'held', 'what was seen a minute ago shows nothing')
  })

  it('hold a model whose failures began after the last answer of the others', () => {
    const { clock, begin, repeat } = make()
    const last = begin('mock')
    clock.nowMs = 100
    repeat(4, 'failed', 'dead')
    last?.({ result: 'answered' })
    assert.deepEqual(repeat(2, 'failed', 'dead'), ['outage', 'held'])
  })

  it('hold both models when both fail', () => {
    const { clock, call, repeat } = make()
    repeat(5, 'failed', 'a')
    clock.nowMs = 10
    call('answered', 'b')
    clock.nowMs = 20
    assert.equal(call('failed', 'b'), 'own')
    assert.equal(call('failed', 'a'), 'held')
  })

  it('hold a model that its provider limits for long, whatever others do', () => {
    const { clock, call } = make()
    call('failed', 'm', { askedMs: 61_000 })
    clock.nowMs = 1_000
    call('answered', 'other')
    assert.equal(call('failed'), 'held')
  })

  it('open for all models of an address that cannot be reached', () => {
    const { call, repeat } = make()
    call('answered', 'b')
    repeat(5, 'unreachable', 'a')
    assert.equal(call('answered', 'b'), 'held')
  })

  it('refuse no fallback at the same provider where two runs fail together', () => {
    const { begin, clock } = make()
    // Two runs make three attempts each at the same time.
    for (let n = 0; n < 3; n += 1) {
      const both = [begin('dead', true), begin('dead', true)]
      for (const done of both) done?.({ result: 'failed' })
      clock.nowMs += 100
    }
    assert.equal(begin('dead', true), undefined, 'it is passed over')
    assert.notEqual(begin('mock'), undefined)
  })

  it('take no more room for models without end', () => {
    const { call } = make()
    for (let n = 0; n < 2_000; n += 1) call('failed', `ft:${n}`)
    assert.equal(call('answered', 'ft:0'), 'own')
  })
})
