import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createHeapRoom } from './heap-room.ts'

const megabyte = 1024 * 1024

function make(limitMb: number, usedMb: number) {
  const heap = { used: usedMb, nowMs: 0 }
  const source = { limit: limitMb * megabyte, readUsed: () => heap.used * megabyte }
  const room = createHeapRoom(source, () => (heap.nowMs += 100))
  return { heap, room }
}

describe('the room that the heap has for runs', () => {
  it('is what it had at the start, at a megabyte a run', () => {
    const { room } = make(100, 55)
    assert.equal(room(0), 20)
    assert.equal(room(19), 20)
  })

  it('is as much as anybody asks for with the heap that Node takes', () => {
    assert.ok(createHeapRoom()(0) > 500)
    assert.ok(make(4_096, 60).room(0) > 2_900)
  })

  it('takes no more while the heap is full, but one', () => {
    const { heap, room } = make(100, 55)
    heap.used = 90
    assert.deepEqual([room(0), room(1), room(12), room(60)], [1, 1, 12, 20])
    heap.used = 60
    assert.equal(room(12), 20)
  })

  it('is one run at least, however small the heap', () => {
    assert.equal(make(60, 58).room(0), 1)
    assert.equal(make(0, 58).room(0), 1)
  })
})
