import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { judgeByRules, refuseRules, type CallFacts, type Level, type Rule } from './rules.ts'

const facts: CallFacts = {
  action: 'email.send',
  args: { to: 'ada@example.com', amount: 40, lines: [1, 2] },
  agent: { id: 'agt_1', role: 'clerk' },
  workflow: { id: 'wf_1' },
  run: { id: 'run_1', tags: { customer: 'acme' } },
}
const now = Date.parse('2026-11-26T08:00:00Z')

const judge = (...rules: Rule[]) => judgeByRules([{ level: 'account', rules }], facts, now)

describe('rules', () => {
  it('count in their order: the first that matches decides', () => {
    const small: Rule = { action: 'email.send', when: 'args.amount <= 50.0', decision: 'allow' }
    assert.equal(judge(small, { action: '*', decision: 'block' })?.decision, 'allow')
    assert.equal(judge({ action: '*', decision: 'block' }, small)?.decision, 'block')
    assert.equal(judge({ action: 'slack.*', decision: 'block' }), undefined)
    assert.equal(judge({ action: 'email.*', decision: 'ask' })?.position, 0)
    assert.equal(judge({ action: 'emai.*', decision: 'ask' }), undefined)
    const tagged: Rule = {
      action: 'email.*',
      when: 'run.tags.customer == "acme" && agent.role == "clerk" && workflow.id == "wf_1"',
      decision: 'block',
      reason: 'not for acme',
    }
    assert.deepEqual(judge({ ...small, when: 'args.amount > 50.0' }, tagged), {
      level: 'account',
      position: 1,
      action: 'email.*',
      decision: 'block',
      reason: 'not for acme',
    })
  })

  it('ask where their condition fails, loops or names what is not there', () => {
    const loop = 'args.lines.map(a, args.lines).exists(a, a.size() == 9)'
    for (const when of [
      'args.absent > 1.0',
      'args.to > 5',
      'run.tags.absent == "x"',
      'args.',
      'no',
    ]) {
      const found = judge(
        { action: '*', when, decision: 'allow' },
        { action: '*', decision: 'block' },
      )
      assert.equal(found?.decision, 'ask', when)
      assert.match(found.reason ?? '', /its condition failed: /)
    }
    assert.equal(judge({ action: '*', when: loop, decision: 'allow' }), undefined)
    const many = { ...facts, args: { many: Array.from({ length: 5_000 }, () => 1) } }
    const squared = 'args.many.all(a, args.many.all(b, a == b))'
    const rules: Rule[] = [{ action: '*', when: squared, decision: 'allow' }]
    assert.equal(judgeByRules([{ level: 'account', rules }], many, now)?.decision, 'ask')
  })

  it('end when they expire', () => {
    const rule: Rule = { action: '*', decision: 'allow', expires_at: '2026-11-26T08:00:00Z' }
    assert.equal(judge(rule), undefined)
    assert.equal(judge({ ...rule, expires_at: '2026-11-26T08:00:01Z' })?.decision, 'allow')
  })

  it('are refused where their condition cannot be read', () => {
    const found = refuseRules([
      { action: '*', decision: 'ask' },
      { action: '*', decision: 'ask', when: 'args.a ==' },
    ])
    assert.equal(found?.position, 1)
    assert.match(found.why, /line 1, column 10/)
  })
})

/** Conditions in CEL, each with what it means, written anew in JavaScript; undefined where it fails. */
const conditions: [
  text: string | null,
  means: (args: Record<string, unknown>) => boolean | undefined,
][] = [
  [null, () => true],
  ['args.n > 5.0', ({ n }) => (typeof n === 'number' ? n > 5 : undefined)],
  ['args.n <= 5', ({ n }) => (typeof n === 'number' ? n <= 5 : undefined)],
  ['has(args.n) && args.n == 3', ({ n }) => n === 3],
  ['args.s == "x"', ({ s }) => (s === undefined ? undefined : s === 'x')],
  ['args.s.startsWith("x")', ({ s }) => (typeof s === 'string' ? s.startsWith('x') : undefined)],
  [
    'args.s == "x" || args.n > 5',
    ({ s, n }) => {
      if (s === 'x' || (typeof n === 'number' && n > 5)) return true
      return s === undefined || typeof n !== 'number' ? undefined : false
    },
  ],
  ['action == "a.one"', () => undefined],
]

const rule = fc.record({
  action: fc.constantFrom('*', 'a.*', 'a.one', 'a.two', 'b.one'),
  condition: fc.nat({ max: conditions.length - 1 }),
  decision: fc.constantFrom('allow' as const, 'ask' as const, 'block' as const),
  expired: fc.boolean(),
})
const call = fc.record({
  action: fc.constantFrom('a.one', 'a.two', 'b.one'),
  args: fc.record(
    {
      n: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant('text')),
      s: fc.oneof(fc.constantFrom('x', 'xy', 'z'), fc.constant(1)),
    },
    { requiredKeys: [] },
  ),
})

it('2,000 generated sets decide as an independent evaluation does, never looser than a level', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(rule, { maxLength: 5 }), { maxLength: 3 }),
      call,
      (lists, one) => {
        const expected = lists.flatMap((list) => {
          for (const { action, condition, decision, expired } of list) {
            const [connector] = one.action.split('.')
            const isNamed = ['*', one.action, `${connector}.*`].includes(action)
            if (expired || !isNamed) continue
            const isAction = condition === conditions.length - 1
            const holds = isAction ? one.action === 'a.one' : conditions[condition]?.[1](one.args)
            if (holds === false) continue
            return [holds === undefined ? 'ask' : decision]
          }
          return []
        })
        const strictest = ['block', 'ask', 'allow'].find((word) => expected.includes(word as never))
        const levels: Level[] = lists.map((list) => ({
          level: 'account',
          rules: list.map(({ action, condition, decision, expired }) => ({
            action,
            decision,
            when: conditions[condition]?.[0] ?? null,
            expires_at: expired ? '2026-01-01T00:00:00Z' : null,
          })),
        }))
        assert.equal(judgeByRules(levels, { ...facts, ...one }, now)?.decision, strictest)
      },
    ),
    { numRuns: 2_000 },
  )
})
