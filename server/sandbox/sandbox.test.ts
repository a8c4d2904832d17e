import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { defineTask } from './sandbox.ts'
import type * as tasks from './test-tasks.ts'
import { TaskEnded } from './thread.ts'
import { testSandbox } from './test-sandbox.ts'

const bounds = { maxMs: 1_000, maxMb: 128 }
const at = { line: 'quick', from: import.meta.url, file: './test-tasks', ...bounds } as const
const double = defineTask<typeof tasks.double>({ ...at, name: 'double' })
// So short that all of them end within the time that a task waits for a thread, however slow the machine is.
const spin = defineTask<typeof tasks.spin>({ ...at, name: 'spin', maxMs: 200 })
const fail = defineTask<typeof tasks.fail>({ ...at, name: 'fail' })
const fill = defineTask<typeof tasks.fill>({ ...at, name: 'fill', maxMs: 10_000 })

const sandbox = testSandbox()
const own = { accountId: 'acc_own', action: 'do it', sandbox }
const other = { accountId: 'acc_other', action: 'do it', sandbox }

async function whyEnded(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof TaskEnded ? `${error.reason}: ${error.message}` : String(error)
}

describe('a task in the sandbox', () => {
  it('has its result, and its error as a reason', async () => {
    assert.equal(await double(own, 21), 42)
    assert.equal(await whyEnded(fail(own, undefined)), 'error: it went wrong')
    assert.equal(await double(own, 1), 2)
  })

  it('is ended at its time, while other accounts and requests go on', async () => {
    await double(own, 1)
    const loop = monitorEventLoopDelay({ resolution: 1 })
    loop.enable()
    // More than there are threads: the account gets two at most, and waits with the others.
    const hostile = Array.from({ length: 6 }, () => whyEnded(spin(own, undefined)))
    const ended = Promise.all(hostile).then(() => 'ended')
    for (let at = 0; at < 3; at++) assert.equal(await double(other, at), at * 2)
    assert.equal(await Promise.race([ended, Promise.resolve('working')]), 'working')
    const reasons = await Promise.all(hostile)
    assert.deepEqual(new Set(reasons), new Set(['time: it takes more than 0.2 s']))
    assert.ok(loop.max / 1e6 < 250, `the event loop was held for ${loop.max / 1e6} ms`)
    assert.equal(await double(own, 3), 6)
  })

  it('is ended at its memory, however it takes it', async () => {
    for (const kind of ['objects', 'array', 'map', 'doubled', 'text', 'buffers'] as const) {
      assert.equal(await whyEnded(fill(own, kind)), 'memory: it takes too much memory', kind)
    }
    assert.equal(await double(own, 4), 8)
  })

  it('is ended with its request', async () => {
    const ending = new AbortController()
    const spinning = whyEnded(spin({ ...own, signal: ending.signal }, undefined))
    await double(other, 1)
    ending.abort()
    assert.equal(await spinning, 'aborted: the request has ended')
  })

  it('waits in a bounded line of its account', async () => {
    const many = Array.from({ length: 60 }, (_, at) => double(own, at).catch((error) => error.code))
    const results = await Promise.all(many)
    assert.ok(results.includes('too_busy'))
    assert.equal(await double(other, 5), 10)
  })
})
