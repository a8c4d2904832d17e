import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Slots } from './slots.ts'

const limits = { active: 3, activePerAccount: 2, waiting: 2, waitingPerAccount: 2, waitMs: 60_000 }
const tooMany = (action: string) => new Error(`full: ${action}`)

/** Which promises have a slot once everything that can continue has done so. */
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
  const slots = new Slots(limits, tooMany)
  const taken = ['a', 'a', 'a', 'b', 'b'].map((id) => slots.take(id, 'test'))
  assert.deepEqual(await track(taken), [true, true, false, true, false])
  await assert.rejects(slots.take('c', 'test'), /^Error: full: test$/)
  const [, , , ofB] = taken
  ;(await (ofB as Promise<Disposable>))[Symbol.dispose]()
  assert.deepEqual(await track(taken), [true, true, false, true, true])
  for (const index of [0, 1]) {
    ;(await (taken[index] as Promise<Disposable>))[Symbol.dispose]()
  }
  assert.deepEqual(await track(taken), [true, true, true, true, true])
})

it('a slot is refused after its time in line, which ends', async () => {
  const slots = new Slots({ ...limits, activePerAccount: 1, waitMs: 1 }, tooMany)
  const first = await slots.take('a', 'test')
  await assert.rejects(slots.take('a', 'test'), /^Error: full: test$/)
  first[Symbol.dispose]()
  ;(await slots.take('a', 'test'))[Symbol.dispose]()
})

it('an account is refused behind its own in line, in which others have room', async () => {
  const slots = new Slots({ ...limits, waiting: 10 }, tooMany)
  const own = ['a', 'a', 'a', 'a'].map((id) => slots.take(id, 'test'))
  assert.deepEqual(await track(own), [true, true, false, false])
  await assert.rejects(slots.take('a', 'test'), /^Error: full: test$/)
  const others = ['b', 'c'].map((id) => slots.take(id, 'test'))
  assert.deepEqual(await track(others), [true, false])
  for (const slot of [...own, ...others]) (await slot)[Symbol.dispose]()
})

it('accounts are served in turn, whatever the order in which they came', async () => {
  const slots = new Slots({ ...limits, active: 1, waiting: 10, waitingPerAccount: 10 }, tooMany)
  const served: string[] = []
  const take = async (id: string): Promise<void> => {
    using _slot = await slots.take(id, 'test')
    served.push(id)
  }
  const first = await slots.take('a', 'test')
  const others = ['a', 'a', 'a', 'b', 'b', 'c'].map(take)
  first[Symbol.dispose]()
  await Promise.all(others)
  assert.equal(served.join(''), 'abcaba')
})

it('the last slot is kept for accounts that have none, also while others wait', async () => {
  const slots = new Slots({ ...limits, active: 4, activePerAccount: 4, waiting: 9 }, tooMany)
  const taken = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map((id) => slots.take(id, 'test'))
  assert.deepEqual(await track(taken), [true, true, true, false, true, false, false])
  ;(await (taken[0] as Promise<Disposable>))[Symbol.dispose]()
  assert.deepEqual(await track(taken), [true, true, true, false, true, false, true])
  for (const index of [1, 2, 4, 6]) {
    ;(await (taken[index] as Promise<Disposable>))[Symbol.dispose]()
  }
  assert.deepEqual(await track(taken), [true, true, true, true, true, true, true])
})

it('an account that is held back takes nothing until it is let in', async () => {
  let isBlocked = true
  const slots = new Slots(limits, tooMany, (id) => id === 'a' && isBlocked)
  const taken = ['a', 'b'].map((id) => slots.take(id, 'test'))
  assert.deepEqual(await track(taken), [false, true])
  isBlocked = false
  slots.admit()
  assert.deepEqual(await track(taken), [true, true])
})

it('a slot that is taken at once is refused where none is free, and does not wait', () => {
  const slots = new Slots({ ...limits, activePerAccount: 1 }, tooMany)
  const first = slots.takeNow('a', 'test')
  assert.throws(() => slots.takeNow('a', 'test'), /^Error: full: test$/)
  first[Symbol.dispose]()
  slots.takeNow('a', 'test')[Symbol.dispose]()
})
