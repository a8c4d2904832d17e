import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KeyedMutex } from './keyed-mutex.ts'

describe('a keyedMutex', () => {
  it('lets work of one key go one at a time, in order, and that of others beside it', async () => {
    const keyedMutex = new KeyedMutex()
    const seen: string[] = []
    const held = Promise.withResolvers<void>()
    const first = keyedMutex.run('a', async () => {
      seen.push('a1 begins')
      await held.promise
      seen.push('a1 ends')
      return 1
    })
    const second = keyedMutex.run('a', async () => void seen.push('a2'))
    await keyedMutex.run('b', async () => void seen.push('b'))
    held.resolve()
    assert.equal(await first, 1)
    await second
    assert.deepEqual(seen, ['a1 begins', 'b', 'a1 ends', 'a2'])
  })

  it('goes on behind work that failed', async () => {
    const keyedMutex = new KeyedMutex()
    const failed = keyedMutex.run('a', () => Promise.reject(new Error('broken')))
    const next = keyedMutex.run('a', async () => 'fine')
    await assert.rejects(failed, /broken/)
    assert.equal(await next, 'fine')
  })

  it('leaves out work that has waited too long, and goes on with the next', async () => {
    const keyedMutex = new KeyedMutex()
    const held = Promise.withResolvers<void>()
    const first = keyedMutex.run('a', () => held.promise)
    const patience = { ms: 1, late: () => new Error('late') }
    let isDone = false
    const second = keyedMutex.run('a', async () => void (isDone = true), patience)
    const third = keyedMutex.run('a', async () => 'third')
    await assert.rejects(second, /late/)
    held.resolve()
    await first
    assert.equal(await third, 'third')
    assert.equal(isDone, false)
  })
})
