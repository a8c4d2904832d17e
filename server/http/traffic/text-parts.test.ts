import assert from 'node:assert/strict'
import { it } from 'node:test'
import { text } from 'node:stream/consumers'
import { TextParts, writeParts } from './text-parts.ts'

it('texts are written whole, and others get their turn in between', async (t) => {
  // Each text takes a millisecond.
  let now = 0
  t.mock.method(performance, 'now', () => now++)
  let turns = 0
  const count = (): void => void (++turns, (timer = setImmediate(count)))
  let timer = setImmediate(count)
  const texts = Array.from({ length: 60 }, (_, number) => String(number % 10).repeat(50_000))
  const parts = await writeParts(texts)
  clearImmediate(timer)
  assert.ok(turns >= 12, `${turns} turns`)
  assert.equal(Buffer.concat(parts).toString(), texts.join(''))
})

it('parts are sent as one text, to several', async () => {
  const texts = ['a', 'ü'.repeat(100_000), '', 'ö'.repeat(300_000), 'z']
  const parts = await writeParts(texts)
  const bodies = [new TextParts(parts), new TextParts(parts)]
  for (const body of bodies) {
    assert.equal(body.bytes, 800_002)
    assert.equal(await text(body), texts.join(''))
  }
})

it('little is one part', async () => {
  assert.deepEqual(await writeParts(['{', '}']), [Buffer.from('{}')])
  assert.deepEqual(await writeParts([]), [Buffer.from('')])
})
