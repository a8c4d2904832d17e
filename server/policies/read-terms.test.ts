import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readTerms } from './read-terms.ts'
import { conditions, type CallFacts } from './rules.ts'
import { addressesPattern, writeTerms, type Field, type Term } from './terms.ts'

const to: Field = { of: 'argument', name: 'to' }
const amount: Field = { of: 'argument', name: 'amount' }
const odd: Field = { of: 'argument', name: 'a "b" && c\\' }

describe('the terms of a condition', () => {
  it('are read as they were written', () => {
    const all: Term[] = [
      { kind: 'only', names: ['to', 'a "b", c', ')'] },
      { kind: 'absent', field: { of: 'argument', name: 'cc' } },
      { kind: 'is', field: to, values: ['a && b || "c" (d'] },
      { kind: 'is', field: odd, values: ['x', 1, true, null, { a: [1] }] },
      {
        kind: 'is',
        field: { of: 'tag', name: 'customer' },
        values: ['acme'],
        isOptional: true,
      },
      { kind: 'isNot', field: { of: 'role', name: '' }, values: ['clerk'] },
      { kind: 'isNot', field: { of: 'agent', name: '' }, values: ['a', 'b'] },
      { kind: 'atLeast', field: amount, number: -1.5 },
      { kind: 'atMost', field: amount, number: 1e-7 },
      { kind: 'above', field: amount, number: 0 },
      { kind: 'below', field: amount, number: 1e21 },
      { kind: 'between', field: amount, min: 1, max: 2 },
      { kind: 'between', field: amount, min: 1, max: 2, isOptional: true },
      { kind: 'startsWith', field: to, text: '(' },
      { kind: 'endsWith', field: to, text: "it's // no comment" },
      { kind: 'contains', field: to, text: '\\n\\u00e9' },
      { kind: 'containsNot', field: to, text: ',' },
      { kind: 'addressesAt', field: to, domain: 'mail.example-1.com' },
      {
        kind: 'addressesAt',
        field: odd,
        domain: 'example.com',
        isOptional: true,
      },
      { kind: 'is', field: { of: 'workflow', name: '' }, values: ['wf_1'] },
      { kind: 'cel', text: 'args.a == 1 || args.b == 2' },
    ]
    assert.deepEqual(readTerms(writeTerms(all)), all)
    for (const term of all) assert.deepEqual(readTerms(writeTerms([term])), [term])
    assert.deepEqual([readTerms(null), readTerms('  '), writeTerms([])], [[], [], null])
  })

  it('are read in the words of a person, too', () => {
    assert.deepEqual(
      readTerms(
        'args.to.endsWith("@example.com") && !args.to.contains(",") && !has(args.cc) && args.amount <= 100.0',
      ),
      [
        { kind: 'endsWith', field: to, text: '@example.com' },
        { kind: 'containsNot', field: to, text: ',' },
        { kind: 'absent', field: { of: 'argument', name: 'cc' } },
        { kind: 'atMost', field: amount, number: 100 },
      ],
    )
    assert.deepEqual(readTerms('(run.tags.customer=="acme"&&(args.amount>1))'), [
      {
        kind: 'is',
        field: { of: 'tag', name: 'customer' },
        values: ['acme'],
      },
      { kind: 'above', field: amount, number: 1 },
    ])
    assert.deepEqual(readTerms('!has(args.to) || args.to in ["a"]'), [
      { kind: 'cel', text: '!has(args.to) || args.to in ["a"]' },
    ])
  })

  it('stay as CEL where a form cannot express them', () => {
    const strange = [
      'args.a == 1 && args.b == 2 || args.c == 3',
      'args.a == 1 ? true : false',
      'args.a == "x" // && args.b == 2',
      `args.a == 'x'`,
      'args.a == r"x\\d" && true',
      'args.a == """x"""',
      'args.a == 9007199254740993',
      'args.a == 1u',
      'args.a == args.b',
      'args.a.b == 1',
      'args.a.b in ["x"]',
      'args.a in []',
      'args.a in [args.b]',
      'args.all(name, name != "cc")',
      'args.to.matches("@example\\\\.com$")',
      '!args.to.startsWith("a")',
      'size(args.to) < 5',
      'has(args.cc)',
      '(args.a == 1) == (args.b == 2)',
      'args.',
      'args.a == "x',
      'args.a == 1 && (args.b == 2',
      ') && (',
    ]
    for (const text of strange) {
      const terms = readTerms(text)
      assert.ok(
        terms.every(({ kind }) => kind === 'cel'),
        `${text}: ${JSON.stringify(terms)}`,
      )
      assert.equal(writeTerms(terms)?.replaceAll(/[()]/g, ''), text.replaceAll(/[()]/g, ''))
    }
    assert.deepEqual(readTerms('args.a.b == 1 && args.to == "x"'), [
      { kind: 'cel', text: 'args.a.b == 1' },
      { kind: 'is', field: to, values: ['x'] },
    ])
  })

  it('mean what the condition meant', () => {
    const facts = (args: Record<string, unknown>): CallFacts => ({
      action: 'email.send',
      args,
      agent: { id: 'agt_1', role: 'clerk' },
      workflow: { id: 'wf_1' },
      run: { id: 'run_1', tags: { customer: 'acme' } },
    })
    const calls = [
      { to: 'a@example.com', amount: 100 },
      { to: 'a@example.com', amount: 100.5 },
      { to: 'a@example.com,b@evil.com', amount: 1 },
      { to: 'a@example.com', amount: 1, cc: 'x' },
      { to: 'a@example.com', amount: 1, cc: 'y' },
      { amount: 1 },
    ].map(facts)
    for (const when of [
      'args.to.endsWith("@example.com") && !args.to.contains(",") && !has(args.cc)',
      'args.amount <= 100.0',
      'args.amount > 100',
      '(args.amount >= 1.0 && args.amount <= 100.0) && agent.role == "clerk"',
      '(!("cc" in args) || args.cc in ["x", "z"]) && run.tags.customer != "other"',
      '(!has(args.cc) || args.cc == "y")',
      'args.amount == 1 || args.amount == 100 // or',
      '!(args.amount in [1, 2]) && workflow.id == "wf_1"',
    ]) {
      const [first, ...others] = readTerms(when)
      const again = writeTerms([
        ...(first ? [first] : []),
        ...others,
        { kind: 'cel', text: 'true' },
      ])
      for (const call of calls) {
        const before = conditions.evaluate(when, call)
        const after = conditions.evaluate(again ?? '', call)
        assert.equal(typeof after, typeof before, `${when}: ${again}: ${after}`)
        if (typeof before === 'boolean') assert.equal(after, before, `${when}: ${again}`)
      }
    }
    assert.ok(
      new RegExp(addressesPattern('example.com')).test('Ada <a@example.com>, b@example.com'),
    )
  })
})
