import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { visibleText } from './visible-text.ts'

describe('visible text', () => {
  it('keeps letters of every script, emoji, line breaks and tabs', () => {
    for (const text of ['Grüße', '日本語', 'العربية', 'हिन्दी', 'a\tb\nc', '🙂']) {
      assert.equal(visibleText(text), text)
    }
  })

  it('drops what cannot be seen', () => {
    const hidden =
      '\u200B\u200D\uFEFF\u2066\u202E\u00AD\uFE0F\u{E0041}\u{E0101}\u3164\u0000\u001B\u0085'
    assert.equal(visibleText(`a${hidden}b`), 'ab')
  })

  it('makes one kind of line break and no unpaired surrogate', () => {
    assert.equal(visibleText('a\r\nb\rc\uD800'), 'a\nb\nc\uFFFD')
  })
})
