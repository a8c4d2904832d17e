import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { proposeForCall, type CallProposal } from './propose-for-call.ts'
import { allowedBy, type Decided } from './propose-rule.ts'
import { readTerms } from './read-terms.ts'
import { refuseRules, type CallFacts } from './rules.ts'
import type { Term } from './terms.ts'
import { testSandbox } from '../sandbox/test-sandbox.ts'

const now = Date.parse('2026-11-26T08:00:00Z')
const caller = { accountId: 'acc', action: 'propose rule', sandbox: testSandbox() }
const letter = { to: 'ada@example.com', subject: 'Hello', text: 'Dear Ada' }

const facts = (args: Record<string, unknown>, role = 'clerk'): CallFacts => ({
  action: 'email.send',
  args,
  agent: { id: 'agt_1', role },
  workflow: { id: 'wf_1' },
  run: { id: 'run_1', tags: {} },
})
const decided = (args: Record<string, unknown>, fields: Partial<Decided> = {}): Decided => ({
  facts: facts(args),
  decision: 'approved',
  toolVersion: 'v1',
  ...fields,
})
const to = (address: string, n = 0) => ({
  to: address,
  subject: `No. ${n}`,
  text: `Dear ${n}`,
})

async function propose(
  args: Record<string, unknown>,
  calls: Decided[] = [],
): Promise<CallProposal<Decided>> {
  const proposed = await proposeForCall(caller, facts(args), calls, 'v1', now)
  assert.ok(proposed !== undefined)
  assert.equal(await refuseRules(caller, [proposed.rule]), undefined)
  const [allowsOwn] = await allowedBy(caller, proposed.rule, [{ facts: facts(args) }], now)
  assert.equal(allowsOwn, true, `the call itself: ${proposed.rule.when}`)
  return proposed
}

/** The terms about an argument; undefined if it may be anything. */
function termOn(name: string, { rule }: CallProposal<Decided>): Term | undefined {
  return readTerms(rule.when).find(
    (term) => 'field' in term && term.field.of === 'argument' && term.field.name === name,
  )
}

const allows = async (
  { rule }: CallProposal<Decided>,
  args: Record<string, unknown>,
  role?: string,
) => (await allowedBy(caller, rule, [{ facts: facts(args, role) }], now))[0]

describe('a rule proposed for a call', () => {
  it('names the values of the call alone where nothing was decided before; prose is open', async () => {
    const first = await propose(letter)
    assert.deepEqual(readTerms(first.rule.when), [
      { kind: 'only', names: ['subject', 'text', 'to'] },
      {
        kind: 'is',
        field: { of: 'argument', name: 'to' },
        values: ['ada@example.com'],
      },
      { kind: 'is', field: { of: 'workflow', name: '' }, values: ['wf_1'] },
      { kind: 'is', field: { of: 'role', name: '' }, values: ['clerk'] },
    ])
    assert.deepEqual([first.evidence, first.refusedCount], [[], 0])
    assert.equal(first.rule.expires_at, '2027-02-24T08:00:00.000Z')
    assert.equal(await allows(first, { ...letter, text: 'other', subject: 'other' }), true)
    for (const other of [
      { ...letter, to: 'bob@example.com' },
      { ...letter, cc: 'eve@evil.com' },
      { ...letter, bcc: 'eve@evil.com' },
      { ...letter, to: 'ada@example.com, eve@evil.com' },
    ]) {
      assert.equal(await allows(first, other), false, JSON.stringify(other))
    }
    assert.equal(await allows(first, letter, 'boss'), false)
  })

  it('names the domain of the addresses that recur, and lets no copy out', async () => {
    const calls = ['bob', 'cy', 'ada'].map((name, n) => decided(to(`${name}@example.com`, n)))
    const wide = await propose(letter, calls)
    assert.deepEqual(termOn('to', wide), {
      kind: 'addressesAt',
      field: { of: 'argument', name: 'to' },
      domain: 'example.com',
    })
    assert.equal(wide.evidence.length, 3)
    assert.equal(await allows(wide, to('dan@example.com')), true)
    assert.equal(await allows(wide, to('eve@evil.com')), false)
    assert.equal(await allows(wide, { ...letter, cc: 'eve@evil.com' }), false)
    assert.equal(await allows(wide, { ...letter, cc: 'bob@example.com' }), false)
  })

  it('names channels, ranges, and fixed values that recur', async () => {
    const pay = (amount: number, channel: string, subject = 'Refund') => ({
      amount,
      channel,
      currency: 'EUR',
      subject,
    })
    const calls = [pay(10, '#ops'), pay(90, '#sales'), pay(30, '#ops')].map((args) => decided(args))
    const proposed = await propose(pay(25, '#ops'), calls)
    const field = (name: string) => ({ of: 'argument', name })
    assert.deepEqual(readTerms(proposed.rule.when).slice(1, 5), [
      { kind: 'between', field: field('amount'), min: 10, max: 90 },
      { kind: 'is', field: field('channel'), values: ['#ops', '#sales'] },
      { kind: 'is', field: field('currency'), values: ['EUR'] },
      { kind: 'is', field: field('subject'), values: ['Refund'] },
    ])
    assert.equal(termOn('subject', await propose(pay(25, '#ops', 'x'), calls)), undefined)
  })

  it('learns from approved calls of the same workflow, role, version and arguments alone', async () => {
    const elsewhere = decided(to('bob@example.com'))
    elsewhere.facts.workflow.id = 'wf_2'
    const unlike = [
      elsewhere,
      { ...decided({}), facts: facts(to('bob@example.com'), 'boss') },
      decided({ ...to('bob@example.com'), cc: 'x@example.com' }),
      decided(to('bob@example.com'), { toolVersion: 'v0' }),
      decided(to('bob@example.com'), { decision: 'expired' }),
    ]
    const proposed = await propose(letter, unlike)
    assert.equal(termOn('to', proposed)?.kind, 'is')
    assert.deepEqual(proposed.evidence, [])
  })

  it('is narrower where it would allow what a person refused, and says so where it still does', async () => {
    const approved = ['bob', 'cy'].map((name) => decided(to(`${name}@example.com`)))
    for (const decision of ['rejected', 'edited'] as const) {
      const refused = decided(to('eve@example.com'), { decision })
      const proposed = await propose(letter, [...approved, refused])
      assert.deepEqual([termOn('to', proposed)?.kind, proposed.refusedCount], ['is', 0])
      const same = await propose(letter, [decided(to(letter.to), { decision })])
      assert.equal(same.refusedCount, 1)
    }
  })

  it('holds hostile arguments as they are', async () => {
    for (const args of [
      { to: '"] || true || args["to"] in ["' },
      { ['a"] == 1 || true || args["b']: 1 },
      { to: 'x@evil.com" || "a@example.com' },
      { toString: 1, hasOwnProperty: [null, { deep: true }] },
      { to: '\n// comment && true' },
      { n: -0.000_001, big: 1e21, empty: '', nothing: null },
    ]) {
      const proposed = await propose(args)
      const name = Object.keys(args)[0] ?? ''
      assert.equal(
        await allows(proposed, { ...args, [name]: 'other' }),
        false,
        proposed.rule.when ?? '',
      )
      assert.equal(await allows(proposed, { ...args, more: 1 }), false)
    }
    const many = ['a@gmail.com', 'b@gmail.com'].map((address) => decided(to(address)))
    assert.equal(termOn('to', await propose(to('c@gmail.com'), many))?.kind, 'is', 'anybody')
    const mixed = ['a@example.com', 'x@evil.com, b@example.com'].map((one) => decided(to(one)))
    assert.equal(termOn('to', await propose(letter, mixed))?.kind, 'is')
    const ofOwn = (args: Record<string, unknown>) =>
      proposeForCall(caller, facts(args), [], 'v1', now)
    assert.equal(await ofOwn({ id: 'a'.repeat(2_000) }), undefined, 'too long for a condition')
    assert.equal(await ofOwn({ constructor: 'x' }), undefined, 'CEL cannot read it')
  })
})
