import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { proposeRule, type Decided } from './propose-rule.ts'
import { judgeByRules, refuseRules, type Level } from './rules.ts'
import { evaluateConditions } from './evaluate-conditions.ts'
import { testSandbox } from '../sandbox/test-sandbox.ts'

const now = Date.parse('2026-11-26T08:00:00Z')
const call = (args: Record<string, unknown>, fields: Partial<Decided> = {}): Decided => ({
  facts: {
    action: 'email.send',
    args,
    agent: { id: 'agt_1', role: 'clerk' },
    workflow: { id: 'wf_1' },
    run: { id: 'run_1', tags: {} },
  },
  decision: 'approved',
  toolVersion: 'v1',
  ...fields,
})
const times = (count: number, make: (n: number) => Decided): Decided[] =>
  Array.from({ length: count }, (_, n) => make(n))
const letter = (n: number): Record<string, unknown> => ({ to: 'ops@acme.com', text: `line ${n}` })
const caller = { accountId: 'acc', action: 'suggest rules', sandbox: testSandbox() }
const propose = (calls: Decided[], version = 'v1') => proposeRule(caller, calls, version, now)
const decisionOn = async (calls: Decided[], one: Decided): Promise<string | undefined> => {
  const proposed = await propose(calls)
  assert.ok(proposed !== undefined)
  assert.equal(await refuseRules(caller, [proposed.rule]), undefined)
  const { facts } = one
  const levels: Level[] = [{ level: 'account', rules: [proposed.rule] }]
  const [evaluated = []] = await evaluateConditions(caller, [{ levels, facts }], now)
  return judgeByRules(evaluated, facts, now)?.decision
}

describe('a proposed rule', () => {
  it('holds constant arguments, leaves prose free and ends after 90 days', async () => {
    const calls = times(20, (n) => call(letter(n)))
    assert.deepEqual(await propose(calls), {
      count: 20,
      rule: {
        action: 'email.send',
        when:
          'args.all(name, name in ["text","to"]) && args["to"] == "ops@acme.com" && ' +
          'workflow.id == "wf_1" && agent.role == "clerk"',
        decision: 'allow',
        reason: 'people approved 20 such calls in a row',
        expires_at: '2027-02-24T08:00:00.000Z',
      },
    })
    assert.equal(await decisionOn(calls, call({ to: 'ops@acme.com', text: 'anything' })), 'allow')
    assert.equal(await decisionOn(calls, call({ to: 'evil@acme.com', text: 'line 1' })), undefined)
    const copied = call({ ...letter(1), bcc: 'evil@example.net' })
    assert.equal(
      await decisionOn(calls, copied),
      undefined,
      'an argument that no approved call had',
    )
    const elsewhere = call(letter(1))
    elsewhere.facts.workflow.id = 'wf_2'
    assert.equal(await decisionOn(calls, elsewhere), undefined)
  })

  it('holds the range of numbers', async () => {
    const calls = times(25, (n) => call({ amount: 10 + n / 2, currency: 'EUR' }))
    for (const [amount, expected] of [
      [10, 'allow'],
      [22, 'allow'],
      [9.99, undefined],
      [22.01, undefined],
    ] as const) {
      assert.equal(
        await decisionOn(calls, call({ amount, currency: 'EUR' })),
        expected,
        String(amount),
      )
    }
    assert.equal(
      await decisionOn(calls, call({ amount: '15', currency: 'EUR' })),
      'ask',
      'it fails',
    )
  })

  it('lists a few addresses, names the domain of many, and is none where they share none', async () => {
    const among = (count: number, domain = 'acme.com') =>
      times(30, (n) => call({ ...letter(n), to: `p${n % count}@${domain}` }))
    assert.equal(await decisionOn(among(10), call({ ...letter(1), to: 'p9@acme.com' })), 'allow')
    assert.equal(await decisionOn(among(10), call({ ...letter(1), to: 'p10@acme.com' })), undefined)
    assert.equal(await decisionOn(among(11), call({ ...letter(1), to: 'new@acme.com' })), 'allow')
    for (const to of [
      'x@evil.com',
      'x@evil.com, p1@acme.com',
      'p1@acme.com, x@evil.com',
      'x@evil.com;p1@acme.com',
      'x@evil.com p1@acme.com',
      'p1@acme.com\n',
      'p1@acme.com\nx@evil.com',
      'p1@acme.com> <x@evil.com>',
      '"x@evil.com" <p1@acme.com>',
      'p1@acme.com.evil.com',
      'p1@evilacme.com',
      'p1@acmexcom',
      'p1@sub.acme.com',
    ]) {
      assert.equal(await decisionOn(among(11), call({ ...letter(1), to })), undefined, to)
    }
    const named = 'Ada Lovelace <ada@acme.com>, bob@acme.com'
    assert.equal(await decisionOn(among(11), call({ ...letter(1), to: named })), 'allow')
    assert.equal(await propose(among(11, 'gmail.com')), undefined, 'anybody has an address there')
    const mixed = times(30, (n) =>
      call({ ...letter(n), to: `p${n}@${n === 7 ? 'b' : 'acme'}.com` }),
    )
    assert.equal(await propose(mixed), undefined)
    // A free text may choose what a call reaches, whatever the argument's name.
    assert.equal(await propose(times(30, (n) => call({ where: `a ${n}` }))), undefined)
    assert.equal(await propose(times(30, (n) => call({ text: [`a ${n}`] }))), undefined)
  })

  it('allows an argument that only some calls had', async () => {
    const calls = times(20, (n) =>
      call(n % 2 === 0 ? { ...letter(n), cc: 'b@acme.com' } : letter(n)),
    )
    assert.equal(await decisionOn(calls, call(letter(1))), 'allow')
    assert.equal(await decisionOn(calls, call({ ...letter(1), cc: 'b@acme.com' })), 'allow')
    assert.equal(await decisionOn(calls, call({ ...letter(1), cc: 'c@acme.com' })), undefined)
  })

  it('leaves prose free that only some calls had, and is none for another one that varies', async () => {
    const among = (name: string, valueOf: (n: number) => unknown) =>
      times(40, (n) => call({ to: 'ops@acme.com', ...(n % 2 === 0 && { [name]: valueOf(n) }) }))
    const calls = among('text', (n) => `line ${n}`)
    assert.equal(await decisionOn(calls, call({ to: 'ops@acme.com', text: 'anything' })), 'allow')
    assert.equal(await propose(among('invoice', (n) => `inv-${n}`)), undefined)
  })

  it('is made of approvals in a row alone, of any people', async () => {
    assert.equal(await propose(times(19, (n) => call(letter(n)))), undefined)
    const interrupted = (decision: Decided['decision'], place: number, args = letter(0)) => {
      const calls = times(40, (n) => call(letter(n)))
      calls[place] = call(args, { decision })
      return propose(calls)
    }
    assert.equal(await interrupted('expired', 19), undefined)
    assert.equal((await interrupted('expired', 20))?.count, 20)
    for (const decision of ['rejected', 'edited'] as const) {
      assert.equal(await interrupted(decision, 5), undefined)
      assert.equal(await interrupted(decision, 25), undefined, 'it is within what would be allowed')
      const other = { to: 'x@example.net', text: 'x' }
      assert.equal((await interrupted(decision, 25, other))?.count, 25, 'it is outside')
    }
    const amounts = times(40, (n) => call({ amount: n }))
    amounts[30] = call({ amount: 7 }, { decision: 'rejected' })
    assert.equal(await propose(amounts), undefined, 'it is within the range')
    amounts[30] = call({ amount: 5_000 }, { decision: 'rejected' })
    assert.equal((await propose(amounts))?.count, 30)
  })

  it('starts anew where the action changed', async () => {
    const calls = times(40, (n) => call(letter(n), { toolVersion: n < 10 ? 'v2' : 'v1' }))
    assert.equal(await propose(calls, 'v2'), undefined)
    assert.equal(await propose(calls, 'v1'), undefined)
    const more = times(20, (n) => call(letter(n), { toolVersion: 'v2' }))
    assert.equal((await propose([...more, ...calls], 'v2'))?.count, 30)
    assert.equal(await propose([...more, ...calls], 'v3'), undefined)
  })

  it('is none where its condition would be too long', async () => {
    assert.equal(await propose(times(20, () => call({ text: 'a'.repeat(2_000) }))), undefined)
  })
})
