import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { visibleText } from './safe-text.ts'

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

  it('keeps joiners and selectors that shape the character before them', () => {
    for (const text of [
      // Families, couples with skin tones, flags, an emoji look, a text look, keycaps.
      '\u{1F468}\u200D\u{1F469}\u200D\u{1F467} \u2764\uFE0F',
      '\u{1F9D1}\u{1F3FB}\u200D\u2764\uFE0F\u200D\u{1F48B}\u200D\u{1F9D1}\u{1F3FF}',
      '\u{1F3F3}\uFE0F\u200D\u{1F308} \u{1F1E9}\u{1F1EA}',
      '\u260E\uFE0E \u00A9\uFE0F',
      '1\uFE0F\u20E3 #\uFE0F\u20E3',
      // Persian with non-joiners, Hindi and Sinhala with joiners.
      '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645',
      '\u0915\u094D\u200D\u0937 \u0DC1\u0DCA\u200D\u0DBB\u0DD3',
    ]) {
      assert.equal(visibleText(text), text)
    }
  })

  it('drops joiners and selectors that shape nothing, and all but the first of a run', () => {
    for (const [text, visible] of [
      ['a\u200Cb\u200Dc\u200C', 'abc'],
      ['\u65E5\u200D\u672C\u200C', '\u65E5\u672C'],
      ['\u200D\u{1F525} 5\uFE0F a\uFE0F', '\u{1F525} 5 a'],
      ['\u06CC\u200C\u200D\u200C\u200C\u200D', '\u06CC\u200C'],
      ['\u06CC\u200B\u200C', '\u06CC'],
      ['\u{1F600}\uFE0F\uFE0E\uFE0F\u{E0101}\uFE01', '\u{1F600}\uFE0F'],
      ['\u{1F600}\u200D\u200D\u{1F600}\u200D', '\u{1F600}\u{1F600}'],
      ['\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}', '\u{1F3F4}'],
    ] as const) {
      assert.equal(visibleText(text), visible)
      assert.equal(visibleText(visible), visible)
    }
  })

  it('makes one kind of line break and no unpaired surrogate', () => {
    assert.equal(visibleText('a\r\nb\rc\uD800'), 'a\nb\nc\uFFFD')
  })
})
