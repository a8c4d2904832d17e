import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wordsOf } from './words.ts'

describe('words', () => {
  it('are folded: case, accents, ß and final sigma', () => {
    assert.deepEqual(wordsOf('ÉTÉ été Größe STRASSE Straße ΛΌΓΟΣ λόγος Ёж еж', 100), [
      'ete',
      'grosse',
      'gross*',
      'strasse',
      'stras*',
      'λογοσ',
      'λογοσ*',
      'еж',
    ])
  })

  it('are the same with and without joiners and selectors', () => {
    for (const [a, b] of [
      ['\u0645\u06CC\u200C\u0631\u0648\u0645', '\u0645\u06CC\u0631\u0648\u0645'],
      ['\u0DC1\u0DCA\u200D\u0DBB\u0DD3', '\u0DC1\u0DCA\u0DBB\u0DD3'],
      ['love \u2764\uFE0F', 'love'],
    ] as const) {
      assert.deepEqual(wordsOf(a, 100), wordsOf(b, 100))
    }
  })

  it('are the same with and without optional marks', () => {
    for (const [a, b] of [
      ['كِتَابٌ', 'كتاب'],
      ['كـــتاب', 'كتاب'],
      ['שָׁלוֹם', 'שלום'],
      ['Tiếng Việt', 'Tieng Viet'],
      ['и̑мя', 'имя'],
    ] as const) {
      assert.deepEqual(wordsOf(a, 100), wordsOf(b, 100), a)
    }
    // These marks are parts of letters.
    for (const [a, b] of [
      ['がき', 'かき'],
      ['कि', 'क'],
      ['กิ', 'ก'],
    ] as const) {
      assert.notDeepEqual(wordsOf(a, 100), wordsOf(b, 100), a)
    }
  })

  it('are Korean words without their particles, however they are composed', () => {
    for (const form of [
      '보고서를',
      '보고서가',
      '보고서에서',
      '보고서'.normalize('NFD'),
      '보고서는',
    ]) {
      assert.ok(wordsOf(form, 100).includes('보고서'), form)
    }
    assert.deepEqual(wordsOf('나는', 100), ['나는'])
  })

  it('share their beginning between inflected forms', () => {
    for (const [a, b] of [
      ['Rechnung', 'Rechnungen'],
      ['facture', 'factures'],
      ['отчёты', 'отчетов'],
      ['contract', 'contracts'],
    ] as const) {
      const other = new Set(wordsOf(b, 10))
      assert.ok(
        wordsOf(a, 10).some((word) => other.has(word)),
        `${a} ${b}`,
      )
    }
  })

  it('are cut in scripts without spaces', () => {
    assert.ok(wordsOf('東京支社への請求書', 100).includes('東京'))
    assert.ok(wordsOf('สัญญาเช่า', 100).length > 1)
    assert.deepEqual(wordsOf('चाबियाँ कहाँ', 100), ['चाबियाँ', 'चाबिय*', 'कहाँ'])
  })

  it('are bounded in number and length, and there are none in what has none', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `word${n}`).join(' ')
    assert.ok([99, 100].includes(wordsOf(many, 100).length))
    assert.ok(wordsOf('x'.repeat(50_000), 100).every((word) => word.length <= 64))
    // A letter of two UTF-16 units is kept whole or left out.
    assert.ok(wordsOf(`a${'𐌰'.repeat(50)}`, 100).every((word) => word.isWellFormed()))
    for (const text of ['', ' \n', '🙂 – & | ! \0']) assert.deepEqual(wordsOf(text, 100), [])
  })
})
