import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Speech } from './speech.ts'

const delta = (order: number, turn: number, offset: number, text: string) =>
  ({ type: 'step.delta', order, turn, offset, text }) as const
const whole = (order: number, turn: number, text: string) =>
  ({ type: 'step.text', order, turn, text }) as const

/** A token stream whose frames the test delivers one by one. */
function speak() {
  const due: (() => void)[] = []
  const speech = new Speech((tell) => due.push(tell))
  let told = 0
  const leave = speech.subscribe(() => told++)
  const frame = () => {
    for (const tell of due.splice(0)) tell()
    return told
  }
  return { speech, frame, leave }
}

describe('what a model says', () => {
  it('is joined by place, and begun anew by a whole text', () => {
    const { speech } = speak()
    speech.take(delta(0, 0, 0, 'One '))
    speech.take(delta(0, 0, 4, 'two '))
    speech.take(delta(0, 0, 4, 'too, '))
    assert.equal(speech.read()?.text, 'One too, ')
    speech.take(whole(0, 0, 'Again'))
    speech.take(delta(0, 0, 5, '.'))
    assert.equal(speech.read()?.text, 'Again.')
  })

  it('is of one turn: the next takes its place when it has something to say', () => {
    const { speech } = speak()
    speech.take(delta(0, 0, 0, 'Plan'))
    speech.end(0)
    assert.deepEqual(speech.read(), { order: 0, turn: 0, text: 'Plan', isDone: true })
    speech.end(1)
    assert.equal(speech.read()?.text, 'Plan')
    speech.take(delta(1, 0, 0, 'Report'))
    assert.deepEqual(speech.read(), { order: 1, turn: 0, text: 'Report', isDone: false })
    speech.take(delta(1, 1, 0, 'Better'))
    assert.equal(speech.read()?.text, 'Better')
  })

  it('loses nothing of the next turn where the text of the one before comes after its beginning', () => {
    const { speech } = speak()
    speech.take(delta(0, 0, 0, 'Pl'))
    speech.take(delta(1, 0, 0, 'Rep'))
    speech.take(whole(0, 0, 'Plan'))
    speech.end(0)
    speech.take(delta(1, 0, 3, 'ort'))
    assert.deepEqual(speech.read(), { order: 1, turn: 0, text: 'Report', isDone: false })
    speech.take(delta(1, 1, 0, 'Bet'))
    speech.take(whole(1, 0, 'Report'))
    speech.take(delta(1, 1, 3, 'ter'))
    assert.equal(speech.read()?.text, 'Better')
  })

  it('is told once a frame, to those who still listen', () => {
    const { speech, frame, leave } = speak()
    for (let at = 0; at < 100; at++) speech.take(delta(0, 0, at, 'x'))
    assert.equal(frame(), 1)
    assert.equal(frame(), 1)
    speech.take(delta(0, 0, 100, 'x'))
    assert.equal(frame(), 2)
    leave()
    speech.take(delta(0, 0, 101, 'x'))
    assert.equal(frame(), 2)
  })
})
