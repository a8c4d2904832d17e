import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLanguage } from './expression.ts'

const language = createLanguage({ body: 'dyn', headers: 'map<string, string>' })
const body = {
  action: 'opened',
  amount: 5,
  nothing: null,
  list: [1, 2, 3],
  items: [
    { name: 'a', cents: 100 },
    { name: 'b', cents: 900 },
  ],
  many: Array.from({ length: 10_000 }, (_, at) => at),
  long: 'a'.repeat(500_000),
}

function evaluate(text: string): boolean | string {
  return language.evaluate(text, { body, headers: { 'x-event': 'issues' } })
}

describe('an expression', () => {
  it('is true or false', () => {
    for (const text of [
      'body.action == "opened" && headers["x-event"] == "issues"',
      'body.amount > 4 && body.amount <= 5 && body.amount == 5',
      'body.amount in [5, 6]',
      'body.items.exists(item, item.name == "b" && item.cents > 500)',
      'body.items.filter(item, item.cents > 500).size() == 1',
      'body.list.map(n, n * 2.0).all(n, n >= 2.0)',
      'has(body.action) && !has(body.absent)',
      'body.nothing == null',
      'body.action.matches("^open(ed)?$")',
      'body.absent == 1 || body.amount == 5',
      'cel.bind(first, body.items[0], first.name == "a")',
    ]) {
      assert.equal(evaluate(text), true, text)
      assert.equal(evaluate(`!(${text})`), false, text)
    }
  })

  it('is refused where it cannot be read, with the place', () => {
    for (const [text, why] of [
      ['body.amount ==', /Unexpected token: EOF \(line 1, column 15\)/],
      ['true &&\n  nope', /Unknown variable: nope \(line 2, column 3\)/],
      ['"a" + 1 == "b"', /no such overload: string \+ int \(line 1, column 1\)/],
      ['1 + 1', /it makes a int, expected true or false/],
      ['body.action.matches("(a")', /pattern "\(a" cannot be used/],
      ['body.action.matches("(?=a)")', /cannot be used/],
      ['body.action.matches(body.long)', /must be a text in quotes/],
      ['body.f()', /f/],
      [`${'('.repeat(60)}true${')'.repeat(60)}`, /depth/i],
      ['true' + ' && true'.repeat(300), /characters|nodes/i],
    ] as const) {
      assert.match(language.refuse(text) ?? '', why, text.slice(0, 60))
    }
    assert.equal(language.refuse('body.any'), undefined)
  })

  it('says why it fails on these values', () => {
    for (const [text, why] of [
      ['body.absent == 1', /No such key: absent \(line 1, column 6\)/],
      ['headers["absent"] == "1"', /No such key/],
      ['body.amount < "5"', /no such overload/],
      ['body.amount', /no true or false/],
      ['body.amount.matches("5")', /there for texts/],
      ['body.constructor != null', /No such key/],
      ['body.__proto__ != null', /No such key/],
      ['body.action.constructor != null', /No such key/],
      ['int(body.action) == 1', /./],
    ] as const) {
      assert.match(String(evaluate(text)), why, text)
    }
  })

  it('is bounded in steps, time and memory, whatever it swallows', () => {
    const squared = 'body.many.exists(a, body.many.exists(b, a + b < 0.0))'
    for (const text of [
      squared,
      `${squared} || true`,
      `body.absent || ${squared}`,
      'body.many.all(a, body.many.map(b, b).size() > 0)',
      'body.many.map(a, body.many).map(a, a.map(b, b)).size() > 0',
      `size(${Array.from({ length: 10 }, () => 'body.long').join(' + ')}) > 0`,
      `cel.bind(a, body.long + body.long, cel.bind(b, a + a, size(b + b) > 0))`,
    ]) {
      const startedAt = performance.now()
      assert.match(String(evaluate(text)), /more than 20000 steps|longer than/, text)
      // A hundred times the bound: the test is that the evaluation ends, not how fast this machine
      // is.
      assert.ok(performance.now() - startedAt < 5_000)
    }
    // A backtracking engine would need exponential time for this.
    assert.equal(evaluate('body.long.matches("^(a+)+b$")'), false)
  })

  it('has nothing left of the evaluation before', () => {
    const condition = 'body.list.all(n, n < 100)'
    const long = { list: Array.from({ length: 50_000 }, () => 1) }
    assert.match(String(language.evaluate(condition, { body: long, headers: {} })), /steps/)
    assert.equal(language.evaluate(condition, { body, headers: {} }), true)
  })
})
