import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StreamedText } from './streamed-text.ts'

const delta = (order: number, turn: number, offset: number, text: string) =>
  ({ type: 'step.delta', order, turn, offset, text }) as const
const whole = (order: number, turn: number, text: string) =>
  ({ type: 'step.text', order, turn, text }) as const

/** A token stream whose frames the test delivers one by one. */
function open() {
  const due: (() => void)[] = []
  const streamed = new StreamedText((notify) => due.push(notify))
  let notified = 0
  const leave = streamed.subscribe(() => notified++)
  const frame = () => {
    for (const notify of due.splice(0)) notify()
    return notified
  }
  return { streamed, frame, leave }
}

describe('what a model says', () => {
  it('is joined by place, and begun anew by a whole text', () => {
    const { streamed } = open()
    streamed.take(delta(0, 0, 0, 'One '))
    streamed.take(delta(0, 0, 4, 'two '))
    streamed.take(delta(0, 0, 4, 'too, '))
    assert.equal(streamed.read()?.text, 'One too, ')
    streamed.take(whole(0, 0, 'Again'))
    streamed.take(delta(0, 0, 5, '.'))
    assert.equal(streamed.read()?.text, 'Again.')
  })

  it('is of one turn: the next takes its place when it has something to say', () => {
    const { streamed } = open()
    streamed.take(delta(0, 0, 0, 'Plan'))
    streamed.end(0)
    assert.deepEqual(streamed.read(), { order: 0, turn: 0, text: 'Plan', isDone: true })
    streamed.end(1)
    assert.equal(streamed.read()?.text, 'Plan')
    streamed.take(delta(1, 0, 0, 'Report'))
    assert.deepEqual(streamed.read(), { order: 1, turn: 0, text: 'Report', isDone: false })
    streamed.take(delta(1, 1, 0, 'Better'))
    assert.equal(streamed.read()?.text, 'Better')
  })

  it('loses nothing of the next turn where the text of the one before comes after its beginning', () => {
    const { streamed } = open()
    streamed.take(delta(0, 0, 0, 'Pl'))
    streamed.take(delta(1, 0, 0, 'Rep'))
    streamed.take(whole(0, 0, 'Plan'))
    streamed.end(0)
    streamed.take(delta(1, 0, 3, 'ort'))
    assert.deepEqual(streamed.read(), { order: 1, turn: 0, text: 'Report', isDone: false })
    streamed.take(delta(1, 1, 0, 'Bet'))
    streamed.take(whole(1, 0, 'Report'))
    streamed.take(delta(1, 1, 3, 'ter'))
    assert.equal(streamed.read()?.text, 'Better')
  })

  it('is notified once a frame, to those who still listen', () => {
    const { streamed, frame, leave } = open()
    for (let at = 0; at < 100; at++) streamed.take(delta(0, 0, at, 'x'))
    assert.equal(frame(), 1)
    assert.equal(frame(), 1)
    streamed.take(delta(0, 0, 100, 'x'))
    assert.equal(frame(), 2)
    leave()
    streamed.take(delta(0, 0, 101, 'x'))
    assert.equal(frame(), 2)
  })
})
