import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { splitInvisible } from './invisible.ts'

const shown = (text: string) =>
  splitInvisible(text)
    .map(({ text, name }) => (name === undefined ? text : `[${name}]`))
    .join('')

describe('what a screen would not show', () => {
  it('is named where it stands, and counted where it is repeated', () => {
    assert.equal(shown('a\u200bb'), 'a[U+200B]b')
    assert.equal(shown('\u202e321\u202c'), '[U+202E]321[U+202C]')
    assert.equal(shown('x\u200b\u200b\u200b'), 'x[U+200B ×3]')
    assert.equal(shown('\u{e0041}\u{e0042}'), '[U+E0041][U+E0042]')
    assert.equal(shown('a\u0000\u001b[31m\ufeff'), 'a[U+0000][U+001B][31m[U+FEFF]')
    assert.equal(shown('a\u2028b\ud800'), 'a[U+2028]b[U+D800]')
  })

  it('leaves what people write alone', () => {
    for (const text of ['Grüße,\n\tAda', '👨‍👩‍👧 ❤️', 'می‌خواهم', 'שלום', '日本語', 'a\u00a0b']) {
      assert.deepEqual(splitInvisible(text), [{ text }])
    }
    assert.equal(shown('a\r\nb'), 'a\nb')
    assert.deepEqual(splitInvisible(''), [])
  })

  it('names joiners that join nothing', () => {
    assert.equal(shown('pay\u200dpal'), 'pay[U+200D]pal')
    assert.equal(shown('a\u200d\u200d'), 'a[U+200D ×2]')
  })
})
