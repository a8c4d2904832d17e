import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { isCrashing, Isolation, probationMs, type Crashes } from './isolation.ts'

it('keeps a probation short until a run has crashed often, within a bound', () => {
  assert.deepEqual([2, 6, 7, 9, 100].map(probationMs), [2_000, 2_000, 4_000, 16_000, 300_000])
})

it('fails only a run whose process died while it was alone on probation', () => {
  const of = (crashCount: number, probationSize: number | null) =>
    isCrashing({ crashCount, probationSize })
  assert.deepEqual([of(100, 2), of(100, null), of(1, 1), of(3, 1)], [false, false, false, true])
})

for (const runs of [2, 3, 5, 8, 33, 64, 100, 200, 500]) {
  it(`finds the run among ${runs} that crashes its process at once`, (test) => {
    const world = new Crew(test, runs)
    const crashes = world.run({ culprit: `run-${Math.floor(runs / 2)}` })
    assert.ok(crashes <= Math.floor(Math.log2(runs)) + 3, `${crashes} crashes`)
    assert.deepEqual(world.failed, [`run-${Math.floor(runs / 2)}`])
    assert.equal(world.completed, runs - 1)
  })
}

it('fails a run that crashes its process by itself after four crashes', (test) => {
  const world = new Crew(test, 1)
  assert.deepEqual([world.run({ culprit: 'run-0' }), world.failed], [4, ['run-0']])
})

it('lets 200 runs go on within seconds after three crashes of another cause', (test) => {
  const world = new Crew(test, 200)
  for (let crash = 0; crash < 3; crash++) world.live({ forMs: 200 })
  const startedAt = performance.now()
  world.run()
  assert.ok(performance.now() - startedAt < 10_000)
  assert.deepEqual([world.completed, world.failed], [200, []])
})

it('fails none of five long runs whose process is killed five times', (test) => {
  const world = new Crew(test, 5, 45_000)
  for (let crash = 0; crash < 5; crash++) world.live({ forMs: 1_000 })
  const startedAt = performance.now()
  world.run()
  assert.ok(performance.now() - startedAt < 60_000)
  assert.deepEqual([world.completed, world.failed], [5, []])
})

it('finds a run that crashes its process late, beside long ones', (test) => {
  const world = new Crew(test, 10, 45_000)
  const crashes = world.run({ culprit: 'run-3', afterMs: 20_000 })
  assert.ok(crashes < 20, `${crashes} crashes`)
  assert.deepEqual([world.completed, world.failed], [9, ['run-3']])
})

it('holds nothing against a run whose process lives, also when the database is away', async (test) => {
  test.mock.timers.enable({ apis: ['setTimeout'] })
  const outage = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })
  const cleared: string[] = []
  let failures = 2
  const isolation = new Isolation(async (runs) => {
    if (failures-- > 0) throw outage
    cleared.push(...runs.map(({ runId }) => runId))
  }, assert.ifError)
  const begin = (runId: string) => {
    const run = { id: runId, accountId: 'acc_1', crashCount: 2, probationSize: null }
    assert.equal(isolation.admit([run]).admitted.length, 1)
    return { accountId: 'acc_1', runId }
  }
  const pass = async (ms: number): Promise<void> => {
    test.mock.timers.tick(ms)
    await turn()
  }
  isolation.ended(begin('run_1'), new Error('the run itself'))
  isolation.ended(begin('run_2'), outage)
  isolation.progressed(begin('run_3').runId)
  await turn()
  for (let tries = 0; tries < 3; tries++) await pass(1_000)
  assert.deepEqual(cleared, ['run_2'])
  begin('run_4')
  await pass(2_000)
  assert.deepEqual(cleared, ['run_2', 'run_4'], 'its probation is over')
})

/** The runs of one process that restarts after each crash, with a mocked clock. */
class Crew {
  readonly #runs: (Crashes & { id: string; accountId: string })[]
  readonly #workMs: number
  readonly #test: TestContext
  #now = 0
  completed = 0
  readonly failed: string[] = []

  constructor(test: TestContext, runs: number, workMs = 300) {
    test.mock.method(performance, 'now', () => this.#now)
    this.#test = test
    this.#workMs = workMs
    this.#runs = Array.from({ length: runs }, (_, number) => ({
      id: `run-${number}`,
      accountId: 'acc_1',
      crashCount: 0,
      probationSize: null,
    }))
  }

  /** Restarts the process until no run is left; returns how often it crashed. */
  run({ culprit, afterMs }: { culprit?: string; afterMs?: number } = {}): number {
    for (let crashes = 0; crashes < 100; crashes++) {
      if (this.live({ culprit, afterMs })) return crashes
    }
    throw new Error('It crashes for ever')
  }

  /** Runs the process until it crashes or is idle; true when no run is left. */
  live(options: {
    culprit?: string | undefined
    afterMs?: number | undefined
    forMs?: number
  }): boolean {
    const { culprit, afterMs = 0, forMs = Number.POSITIVE_INFINITY } = options
    this.#test.mock.timers.reset()
    this.#test.mock.timers.enable({ apis: ['setTimeout'] })
    const isolation = new Isolation(async (runs) => {
      for (const { runId } of runs) {
        const run = this.#runs.find(({ id }) => id === runId)
        if (run !== undefined) run.probationSize = null
      }
    }, assert.ifError)
    const begun = new Map<string, number>()
    const waitsUntil = new Map<string, number>()
    const endsAt = this.#now + forMs
    while (this.#runs.length > 0) {
      if (this.#now >= endsAt) return false
      const ready = this.#runs.filter(
        ({ id }) => !begun.has(id) && (waitsUntil.get(id) ?? 0) <= this.#now,
      )
      const { admitted, crashing, waiting } = isolation.admit(ready.slice(0, 128))
      for (const { run, delayMs } of waiting) waitsUntil.set(run.id, this.#now + delayMs)
      for (const { id } of crashing) this.#end(id, () => this.failed.push(id))
      for (const { id, probationSize } of admitted) {
        const run = this.#runs.find((one) => one.id === id)
        if (run === undefined) continue
        Object.assign(run, { probationSize, crashCount: run.crashCount + 1 })
        begun.set(id, this.#now)
      }
      const deadAt = (begun.get(culprit ?? '') ?? Number.POSITIVE_INFINITY) + afterMs
      if (this.#now >= deadAt) return false
      this.#now += 50
      this.#test.mock.timers.tick(50)
      for (const [id, at] of begun) {
        if (id === culprit || this.#now - at < this.#workMs) continue
        begun.delete(id)
        isolation.progressed(id)
        this.#end(id, () => this.completed++)
      }
    }
    return true
  }

  #end(id: string, count: () => unknown): void {
    this.#runs.splice(
      this.#runs.findIndex((run) => run.id === id),
      1,
    )
    count()
  }
}
