import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JSONSchema7 } from '@ai-sdk/provider'
import fc from 'fast-check'
import { findOther, fixedFor, ruleOn, withoutArguments } from './fixed.ts'
import type { Rule } from './schema.ts'
import { levelsOf, type CallFacts } from './rules.ts'

const facts: CallFacts = {
  action: 'slack.post_message',
  args: { text: 'hello' },
  agent: { id: 'agt_1', role: 'clerk' },
  workflow: { id: 'wf_1' },
  run: { id: 'run_1', tags: { customer: 'acme' } },
}
const now = Date.parse('2026-11-26T08:00:00Z')
const schema: JSONSchema7 = {
  type: 'object',
  properties: { channel: { type: 'string' }, text: { type: 'string' }, urgent: {} },
  required: ['channel', 'text'],
}
const posts: Rule = { action: 'slack.*', decision: 'allow', fixed: { channel: '#ops' } }
const fixedBy = (...rules: Rule[]) => fixedFor(levelsOf(rules), facts, schema, now)

describe('fixed arguments', () => {
  it('leave the schema that a model sees, also from what is required', () => {
    assert.deepEqual(withoutArguments(schema, ['channel']), {
      type: 'object',
      properties: { text: { type: 'string' }, urgent: {} },
      required: ['text'],
    })
    assert.equal(withoutArguments(schema, []), schema)
  })

  it('are set before conditions are judged, whichever rule decides', () => {
    const urgent: Rule = { action: '*', when: 'args.text == "hello"', decision: 'ask' }
    const elsewhere: Rule = { action: '*', when: 'args.channel != "#ops"', decision: 'block' }
    const found = ruleOn(levelsOf([elsewhere, urgent, posts]), facts, schema, now)
    assert.deepEqual(found.args, { text: 'hello', channel: '#ops' })
    assert.deepEqual([found.rule?.decision, found.rule?.position], ['ask', 1])
  })

  it('are those of the first live rule that matches all calls of the action', () => {
    const other: Rule = { ...posts, fixed: { channel: '#other' } }
    assert.deepEqual(fixedBy({ ...posts, action: 'email.send' }, other).values, other.fixed)
    assert.deepEqual(fixedBy({ ...posts, expires_at: '2026-01-01T00:00:00Z' }).values, {})
    assert.deepEqual(fixedBy({ action: 'slack.*', decision: 'allow' }, posts).values, {})
    const ofAcme: Rule = { ...posts, when: 'run.tags.customer == "acme"' }
    const ofGlobex: Rule = { ...other, when: 'run.tags.customer == "globex"' }
    assert.deepEqual(fixedBy(ofGlobex, ofAcme).values, posts.fixed)
    const failing: Rule = { ...other, when: 'run.tags.absent == "x"' }
    assert.deepEqual(fixedBy(failing, posts).values, {})
    assert.equal(ruleOn(levelsOf([failing, posts]), facts, schema, now).rule?.decision, 'ask')
  })

  it('ask where levels differ, or where the action has no such argument', () => {
    const other: Rule = { ...posts, fixed: { channel: '#other' } }
    const differing = ruleOn(levelsOf([posts], { agent: [other] }), facts, schema, now)
    assert.deepEqual([differing.args['channel'], differing.rule?.decision], ['#ops', 'ask'])
    assert.equal(differing.rule?.reason, 'rules set channel to different values')
    const same = ruleOn(levelsOf([posts], { agent: [posts] }), facts, schema, now)
    assert.equal(same.rule?.decision, 'allow')
    const absent: Rule = { ...posts, fixed: { topic: 'x' } }
    const unknown = ruleOn(levelsOf([absent]), facts, schema, now)
    assert.deepEqual([unknown.args, unknown.rule?.decision], [facts.args, 'ask'])
    assert.match(unknown.rule?.reason ?? '', /no argument topic/)
    const blocked = ruleOn(levelsOf([{ ...absent, decision: 'block' }]), facts, schema, now)
    assert.equal(blocked.rule?.decision, 'block')
  })

  it('are missed where an argument is absent or has another value', () => {
    const fixed = fixedBy(posts)
    assert.equal(findOther(fixed, { channel: '#ops', text: 'x' }), undefined)
    assert.equal(findOther(fixed, { channel: '#other' }), 'channel')
    assert.equal(findOther(fixed, { text: 'x' }), 'channel')
  })
})

/**
 * Conditions in CEL, each with its meaning as a JavaScript function that returns undefined where
 * the condition fails. The last ones name no arguments.
 */
type Args = Record<string, unknown>
const conditions: [text: string | null, means: (args: Args) => boolean | undefined][] = [
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
  [null, () => true],
  ['run.tags.customer == "acme"', () => true],
  ['agent.role == "other"', () => false],
  ['run.tags.absent == "x"', () => undefined],
]
const firstWithoutArgs = conditions.findIndex(([text]) => text === null)
const fixedValues = [{}, { s: 'x' }, { s: 'z' }, { n: 9 }, { n: 1, s: 'xy' }, { absent: 1 }]

const rule = fc
  .record({
    action: fc.constantFrom('*', 'a.*', 'a.one', 'a.two', 'b.one'),
    condition: fc.nat({ max: conditions.length - 1 }),
    decision: fc.constantFrom('allow' as const, 'ask' as const, 'block' as const),
    fixed: fc.constantFrom(...fixedValues),
    expired: fc.boolean(),
  })
  .map(({ fixed, ...one }) => ({ ...one, fixed: one.condition < firstWithoutArgs ? {} : fixed }))
type Generated = typeof rule extends fc.Arbitrary<infer T> ? T : never

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

/** The expected outcome of a call, computed without any function under test. */
function expectedOf(lists: Generated[][], { action, args }: { action: string; args: Args }) {
  const [connector] = action.split('.')
  const inForce = lists.map((list) =>
    list.filter((one) => !one.expired && ['*', action, `${connector}.*`].includes(one.action)),
  )
  const meaningOf = ({ condition }: Generated, given: Args) => conditions[condition]?.[1](given)
  const fixed: Args = {}
  const words: string[] = []
  for (const list of inForce) {
    const always = list.find(
      (one) => one.condition >= firstWithoutArgs && meaningOf(one, {}) !== false,
    )
    if (always === undefined || meaningOf(always, {}) === undefined) continue
    for (const [name, value] of Object.entries(always.fixed)) {
      if (name === 'absent' || (name in fixed && fixed[name] !== value)) words.push('ask')
      if (name !== 'absent' && !(name in fixed)) fixed[name] = value
    }
  }
  const whole = { ...args, ...fixed }
  for (const list of inForce) {
    const first = list.find((one) => meaningOf(one, whole) !== false)
    if (first === undefined) continue
    words.push(meaningOf(first, whole) === undefined ? 'ask' : first.decision)
  }
  return { args: whole, decision: ['block', 'ask', 'allow'].find((one) => words.includes(one)) }
}

it('2,000 generated sets at three levels decide and fix as an independent evaluation does', () => {
  const properties: JSONSchema7 = { type: 'object', properties: { n: {}, s: {} } }
  fc.assert(
    fc.property(
      fc.tuple(...[1, 2, 3].map(() => fc.array(rule, { maxLength: 5 }))),
      call,
      (lists, one) => {
        const [account = [], agent = [], entry = []] = lists.map((list) =>
          list.map(({ action, condition, decision, expired, fixed }): Rule => ({
            action,
            decision,
            when: conditions[condition]?.[0] ?? null,
            fixed: Object.keys(fixed).length === 0 ? null : fixed,
            expires_at: expired ? '2026-01-01T00:00:00Z' : null,
          })),
        )
        const levels = levelsOf(account, { agent, crew_entry: entry })
        const found = ruleOn(levels, { ...facts, ...one }, properties, now)
        const expected = expectedOf(lists, one)
        assert.deepEqual({ args: found.args, decision: found.rule?.decision }, expected)
        // The model may write anything for a fixed argument; the call keeps the value of the rules.
        const hostile = { ...one.args, n: 4, s: 'hostile' }
        const again = ruleOn(levels, { ...facts, ...one, args: hostile }, properties, now)
        const own = Object.keys(found.fixed.values)
        assert.deepEqual(
          own.map((name) => again.args[name]),
          own.map((name) => expected.args[name]),
        )
      },
    ),
    { numRuns: 2_000 },
  )
})
