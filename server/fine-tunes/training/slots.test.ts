import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Slots } from './slots.ts'

const limits = { active: 3, activePerAccount: 2, waiting: 2, waitMs: 60_000 }
/** What has its slot after all that could go on went on. */
async function track(promises: Promise<Disposable>[]): Promise<boolean[]> {
  const has = promises.map(() => false)
  promises.forEach((promise, index) => {
    promise.then(
      () => (has[index] = true),
      () => {},
    )
  })
  await new Promise(setImmediate)
  return has
}

it('a slot waits for one of its account, lets others pass, and is refused behind a long line', async () => {
  const slots = new Slots(limits)
  const taken = ['a', 'a', 'a', 'b', 'b'].map((id) => slots.take(id, 'test'))
  assert.deepEqual(await track(taken), [true, true, false, true, false])
  await assert.rejects(slots.take('c', 'test'), { code: 'too_many_uploads' })
  const [, , , ofB] = taken
  ;(await (ofB as Promise<Disposable>))[Symbol.dispose]()
  assert.deepEqual(await track(taken), [true, true, false, true, true])
  for (const index of [0, 1]) {
    ;(await (taken[index] as Promise<Disposable>))[Symbol.dispose]()
  }
  assert.deepEqual(await track(taken), [true, true, true, true, true])
})

it('a slot is refused after its time in line, which ends', async () => {
  const slots = new Slots({ ...limits, activePerAccount: 1, waitMs: 1 })
  const first = await slots.take('a', 'test')
  await assert.rejects(slots.take('a', 'test'), { code: 'too_many_uploads' })
  first[Symbol.dispose]()
  ;(await slots.take('a', 'test'))[Symbol.dispose]()
})
