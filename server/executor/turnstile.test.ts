import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Turnstile } from './turnstile.ts'

describe('a turnstile', () => {
  it('lets work of one key go one at a time, in order, and that of others beside it', async () => {
    const turnstile = new Turnstile()
    const seen: string[] = []
    const held = Promise.withResolvers<void>()
    const first = turnstile.pass('a', async () => {
      seen.push('a1 begins')
      await held.promise
      seen.push('a1 ends')
      return 1
    })
    const second = turnstile.pass('a', async () => void seen.push('a2'))
    await turnstile.pass('b', async () => void seen.push('b'))
    held.resolve()
    assert.equal(await first, 1)
    await second
    assert.deepEqual(seen, ['a1 begins', 'b', 'a1 ends', 'a2'])
  })

  it('goes on behind work that failed', async () => {
    const turnstile = new Turnstile()
    const failed = turnstile.pass('a', () => Promise.reject(new Error('broken')))
    const next = turnstile.pass('a', async () => 'fine')
    await assert.rejects(failed, /broken/)
    assert.equal(await next, 'fine')
  })
})
