import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { repeat } from './repeat.ts'

const onError = (error: unknown) => assert.fail(String(error))

describe('repeated work', () => {
  it('goes on at once while there is more, then after its pause', async () => {
    const enough = Promise.withResolvers<void>()
    const answers = [true, true, false, false]
    const at: number[] = []
    await using _loop = repeat({
      everyMs: 50,
      work: async () => {
        at.push(performance.now())
        if (at.length === answers.length) enough.resolve()
        return answers[at.length - 1] ?? false
      },
      onError,
    })
    await enough.promise
    const [first = 0, , third = 0, fourth = 0] = at
    assert.ok(fourth - third >= 45)
    assert.ok(third - first < fourth - first)
  })

  it('reports what fails and goes on', async () => {
    const again = Promise.withResolvers<void>()
    const errors: unknown[] = []
    let pieces = 0
    await using _loop = repeat({
      everyMs: 1,
      work: async () => {
        if (++pieces === 1) throw new Error('broken')
        again.resolve()
        return false
      },
      onError: (error) => errors.push(error),
    })
    await again.promise
    assert.deepEqual(errors.map(String), ['Error: broken'])
  })

  it('waits for the piece under way when it is disposed, and begins no other', async () => {
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    let ended = 0
    const loop = repeat({
      everyMs: 1,
      work: async () => {
        begun.resolve()
        await gate.promise
        ended++
        return true
      },
      onError,
    })
    await begun.promise
    const disposed = loop[Symbol.asyncDispose]()
    assert.equal(ended, 0)
    gate.resolve()
    await disposed
    assert.equal(ended, 1)
  })
})
