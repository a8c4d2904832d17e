import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cutAtParagraph } from './operate/demo-text.ts'
import { dollars, duration, elapsed } from './format.ts'
import { clean, oneLine, table } from './output.ts'
import { parseNamedFiles } from './named-file.ts'
import { wrap } from './wrap.ts'
import { requestsOf } from './pending/answer.ts'
import { parseArguments } from './pending/edit.ts'
import { reveal, showArguments } from './pending/show.ts'

describe('what people read', () => {
  it('writes durations', () => {
    const written = [-5, 12, 99.6, 420, 9_949, 12_300, 59_600, 185_000].map(duration)
    assert.deepEqual(written, ['0ms', '12ms', '100ms', '0.4s', '9.9s', '12s', '1m 00s', '3m 05s'])
    assert.equal(elapsed(null, null), '–')
    assert.equal(elapsed('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:02.000Z'), '2.0s')
  })

  it('writes amounts of money', () => {
    const written = [0, 0.00000123, 0.00042, 0.0099, 0.01, 1.256, 120].map(dollars)
    assert.deepEqual(written, [
      '$0',
      '$0.0000012',
      '$0.00042',
      '$0.0099',
      '$0.01',
      '$1.26',
      '$120.00',
    ])
  })

  it('takes out what steers a terminal', () => {
    assert.equal(clean('\u001b[31mred\u001b[0m\u0007 \u001b]0;title\u0007x\r\ny\tz'), 'red x\ny\tz')
    assert.equal(oneLine(' a\n b '.repeat(3), 9), 'a b a b …')
  })

  it('shows what hides or turns text around, and leaves emoji and letters that join as they are', () => {
    assert.equal(clean('ops\u202etxe\u200b a\u200db'), 'ops\\u202etxe\\u200b a\\u200db')
    assert.equal(clean('\u{e0041}\ufeff\u2066x\u2069'), '\\udb40\\udc41\\ufeff\\u2066x\\u2069')
    for (const plain of ['👨‍👩‍👧 ✈️ 3️⃣', 'می‌خواهم', 'äöü 東京']) assert.equal(clean(plain), plain)
  })

  it('shows what is hidden, and JSON stays the same JSON', () => {
    assert.equal(reveal('plain text, äöü 東京 🙂\nnext'), 'plain text, äöü 東京 🙂\nnext')
    const hidden = [
      '\u0000',
      '\t',
      '\r',
      '\u001b[2K',
      '\u007f',
      '\u0085',
      '\u00a0',
      '\u00ad',
      '\u034f',
    ]
    hidden.push(
      '\u115f',
      '\u200b',
      '\u200d',
      '\u202e',
      '\u2028',
      '\u2066',
      '\u2800',
      '\u3000',
      '\u3164',
    )
    hidden.push('\ufe0f', '\ufeff', '\ue000', '\ud800', '\u{e0041}', '\u{e0100}', '\u{1bca0}')
    const input = Object.fromEntries(hidden.map((text) => [`key ${text}`, `\\${text}`]))
    const shown = showArguments(input)
    assert.match(shown, /^[\p{L}\p{N}\p{P}\p{S} \n]+$/u)
    assert.doesNotMatch(shown, /\u2800/)
    assert.deepEqual(parseArguments(shown), input)
  })

  it('shows of each of several requests its own action, and none of a question', () => {
    const [write, question] = [
      {
        id: 'pnd_1',
        kind: 'approval',
        prompt: 'Write?',
        call_id: 'call_1',
        tool: 'notes.write',
        tool_input: { a: 1 },
      },
      { id: 'pnd_2', kind: 'input', prompt: 'Why?', call_id: 'call_2' },
    ] as const
    const shared = {
      step_order: 0,
      role: 'clerk',
      approvers: { users: [], roles: [] },
      created_at: '2026-01-01T00:00:00Z',
      expires_at: null,
    }
    const all = requestsOf({ ...write, ...shared, case_id: 'pnd_1', calls: [write, question] })
    assert.deepEqual(all, [
      { ...write, ...shared },
      { ...question, ...shared },
    ])
  })

  it('lines up columns', () => {
    assert.equal(table([{ a: 'äöü', long: 'x' }], ['a', 'long']), 'A    LONG\näöü  x')
    assert.equal(
      table(
        [
          { a: '東京', long: 'x' },
          { a: '🙂', long: 'y' },
        ],
        ['a', 'long'],
      ),
      'A     LONG\n東京  x\n🙂    y',
    )
  })

  it('wraps at spaces alone, keeps other spaces, and leaves long words and files whole', () => {
    assert.equal(wrap('one two three', 7), 'one two\nthree')
    assert.equal(wrap('one  two', 5, '> '), 'one\n>  two')
    assert.equal(wrap('a https://example.com/path b', 10), 'a\nhttps://example.com/path\nb')
    assert.equal(wrap('  "text": "one two"', 14, '    '), '  "text": "one\n    two"')
    assert.equal(wrap('東京 東京 東京', 9), '東京 東京\n東京')
    assert.equal(wrap('\u001b[1mone\u001b[22m two', 7), '\u001b[1mone\u001b[22m two')
    assert.equal(wrap('one two three', undefined), 'one two three')
  })

  it('cuts at a paragraph, a line, a word, or where it must', () => {
    assert.equal(cutAtParagraph('short', 10), 'short')
    assert.equal(cutAtParagraph('one two\n\nthree four', 12), 'one two')
    assert.equal(cutAtParagraph('one two\nthree four', 12), 'one two')
    assert.equal(cutAtParagraph('one two three', 12), 'one two')
    assert.equal(cutAtParagraph('😀'.repeat(9), 4), '😀'.repeat(4))
  })

  it('finds the lines of fields', () => {
    const [file] = parseNamedFiles(
      'f',
      'name: x\ncrew:\n  - role: a\n  -\n    role: b\n    model: c\n',
      () => 'workflow',
    )
    assert.ok(file !== undefined)
    assert.deepEqual(
      ['name', 'crew', 'crew[0].role', 'crew[1].role', 'crew[1].systemPrompt', 'limits'].map(
        (param) => file.lineOf(param),
      ),
      [1, 2, 3, 5, 5, undefined],
    )
  })
})
