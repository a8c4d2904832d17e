import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { textPieces } from './text-pieces.ts'

const refuse = (why: string): Error => new Error(why)

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

it('pieces are well formed, short enough and together the text, wherever its bytes are cut', () =>
  fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', ' '), maxLength: 200 }),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 2, max: 40 }),
      async (text, size, length) => {
        const parts = inParts(Buffer.from(text), size)
        const pieces = await Array.fromAsync(textPieces(parts, refuse, length))
        assert.equal(pieces.join(''), text)
        assert.ok(pieces.every((piece) => piece.length <= length && piece.isWellFormed()))
        assert.ok(pieces.every((piece) => piece !== ''))
      },
    ),
  ))

it('a piece ends with a line where it can', async () => {
  const text = 'one\ntwo\nthree\nfour\n'
  const pieces = await Array.fromAsync(textPieces(inParts(Buffer.from(text), 5), refuse, 10))
  assert.deepEqual(pieces, ['one\ntwo\n', 'three\n', 'four\n'])
})

it('what is not UTF-8, ends within a character or holds a NUL is refused; a mark of its order is no text', async () => {
  const read = (bytes: Buffer) => Array.fromAsync(textPieces(inParts(bytes, 3), refuse, 10))
  await assert.rejects(read(Buffer.from('abc\xe9def', 'latin1')), /not UTF-8/)
  await assert.rejects(read(Buffer.from('abcé').subarray(0, 4)), /not UTF-8/)
  await assert.rejects(read(Buffer.from('abc\0')), /NUL/)
  assert.deepEqual(await read(Buffer.from('\uFEFFabc')), ['abc'])
})
