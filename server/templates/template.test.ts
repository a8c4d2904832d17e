import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as template from './template.ts'
import { refuseTemplate, refuseTemplates, Room } from './template.ts'

const values = { at: '2026-11-26T08:00:00.000Z', body: { name: 'Ada', tags: ['a', 'b'] } }

const renderTemplate = (text: string, given: object) =>
  template.renderTemplate(text, given, new Room())
const renderValue = (value: unknown, given: object) =>
  template.renderValue(value, given, new Room())

describe('a template', () => {
  it('is filled in, and what is not there is nothing', () => {
    assert.equal(
      renderTemplate('Hello {{ body.name }}{{ body.absent.more }}!', values),
      'Hello Ada!',
    )
    const inBerlin = '{{ at | date: "%Y-%m-%d %H:%M", "Europe/Berlin" }}'
    assert.equal(renderTemplate(inBerlin, values), '2026-11-26 09:00')
    assert.equal(
      renderTemplate('{% for tag in body.tags %}[{{ tag }}]{% endfor %}', values),
      '[a][b]',
    )
    assert.equal(renderTemplate('{{ body | json }}', values), JSON.stringify(values.body))
  })

  it('fills in the texts of a JSON value', () => {
    const given = { '{{ key }}': 1, list: ['{{ body.name }}', null, true], deep: { a: '{{ at }}' } }
    assert.deepEqual(renderValue(given, values), {
      '{{ key }}': 1,
      list: ['Ada', null, true],
      deep: { a: values.at },
    })
  })

  it('keeps the type of a value that a text names and nothing else', () => {
    const body = { amount: 5, open: true, nested: { list: [1, 'a'] }, nothing: null }
    const given = {
      amount: '{{ body.amount }}',
      open: '{{body.open}}',
      nested: '{{ body["nested"] }}',
      first: '{{ body.nested.list[0] }}',
      size: '{{ body.nested.list.size }}',
      nothing: ['{{ body.nothing }}', '{{ body.absent.more }}', '{{ blank }}', '{{ constructor }}'],
      text: '{{ body.amount }} pieces',
      filtered: '{{ body.amount | plus: 1 }}',
    }
    assert.deepEqual(renderValue(given, { body }), {
      amount: 5,
      open: true,
      nested: { list: [1, 'a'] },
      first: 1,
      size: 2,
      nothing: [null, null, null, null],
      text: '5 pieces',
      filtered: '6',
    })
  })

  it('keeps the type of an item that it picks', () => {
    const list = [{ a: 1 }, 'b', 3]
    const given = {
      quoted: "{{ body['list'][0] }}",
      last: '{{ body.list[-1] }}',
      first: '{{ body.list | first }}',
      lastOf: '{{ body.list|last }}',
      none: '{{ body.empty | first }}',
    }
    assert.deepEqual(renderValue(given, { body: { list, empty: [] } }), {
      quoted: { a: 1 },
      last: 3,
      first: { a: 1 },
      lastOf: 3,
      none: null,
    })
  })

  it('writes an object within a text as JSON', () => {
    const body = { issue: { id: 7 }, list: [{ a: 1 }, [2]], tags: ['a', 'b'], none: null }
    for (const [text, expected] of [
      ['The {{ body.issue }}.', 'The {"id":7}.'],
      ['{{ body.list }}', '[{"a":1},[2]]'],
      ['{% for one in body.list %}{{ one }};{% endfor %}', '{"a":1};2;'],
      ['{{ body.issue | append: "!" }}', '{"id":7}!'],
      ['{{ "It is " | append: body.issue }}', 'It is {"id":7}'],
      ['{{ body.list | join: " and " }}', '{"a":1} and 2'],
      ['{{ body.issue | truncate: 5 }}', '{"...'],
      ['{{ body.tags }}{{ body.none }}{{ nil }}', 'ab'],
      ['{{ body.tags | join: ", " | upcase }}', 'A, B'],
    ] as const) {
      assert.equal(renderTemplate(text, { body }), expected, text)
    }
  })

  it('knows the usual forms of dates, and the offset of a time', () => {
    const body = { at: '2026-11-26T08:05:09+02:00' }
    for (const [text, expected] of [
      ['{{ body.at | date: "%F %T" }}', '2026-11-26 08:05:09'],
      ['{{ body.at | date: "%D %R %z" }}', '11/26/26 08:05 +0200'],
      ['{{ body.at | date: "%%F %-d" }}', '%F 26'],
      ['{{ body.at | date: "%R", "Europe/London" }}', '06:05'],
      ['{{ at | date: "%R %z" }}', '08:00 +0000'],
      ['{{ "2026-11-26" | date: "%F %R" }}', '2026-11-26 00:00'],
    ] as const) {
      assert.equal(renderTemplate(text, { ...values, body }), expected, text)
    }
  })

  it('reaches nothing but its values', () => {
    const text =
      '{{ body.constructor }}{{ body.__proto__ }}{{ body.name.length }}{{ body.toString }}'
    assert.equal(renderTemplate(text, values), '3')
    for (const tag of ['include "/etc/passwd"', 'render "x"', 'layout "x"']) {
      assert.throws(() => renderTemplate(`{% ${tag} %}`, values), /Failed to lookup/)
    }
  })

  it('says what is wrong with it, and where', () => {
    for (const [text, why] of [
      ['{{ name', /not closed, line:1, col:1/],
      ['a\n{% if %}', /line:2/],
      ['{{ name | shout }}', /undefined filter: shout/],
      ['{% unknown %}', /tag "unknown" not found/],
      ['{% if a %}'.repeat(21) + '{% endif %}'.repeat(21), /nested more than 20 deep/],
      ['x'.repeat(16_001), /16001 characters/],
    ] as const) {
      assert.match(refuseTemplate(text) ?? '', why)
    }
    assert.equal(refuseTemplate('{{ name | upcase }}'), undefined)
    const found = refuseTemplates({ a: ['{{ x }}', { b: '{{ x' }] }, 'data')
    assert.equal(found?.path, 'data.a[1].b')
  })
})

it('is bounded in time, memory, depth and size', () => {
  const long =
    '{% assign s = "aaaaaaaaaa" %}{% for i in (1..N) %}{% assign s = s | append: s %}{% endfor %}{{ s }}'
  for (const text of [
    '{% for i in (1..100000000) %}x{% endfor %}',
    '{% for i in (1..100000) %}{% for j in (1..100000) %}x{% endfor %}{% endfor %}',
    '{% tablerow i in (1..999999) %}{% endtablerow %}',
    '{{ 5 | date: "%99999999Y" }}',
    `{{ a${'[a'.repeat(5_000)}${']'.repeat(5_000)} }}`,
    long.replace('N', '40'),
    long.replace('N', '14'),
  ]) {
    assert.throws(() => renderTemplate(text, values), { name: 'TemplateError' }, text.slice(0, 40))
  }
  let deep: unknown = '{{ at }}'
  for (let level = 0; level < 60; level++) deep = [deep]
  assert.throws(() => renderValue(deep, values), /nested more than 50 deep/)
})
