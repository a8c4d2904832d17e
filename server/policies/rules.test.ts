import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Rule } from './schema.ts'
import {
  judgeByRules,
  needsSignIn,
  refuseRules,
  rulesFor,
  type CallFacts,
  type Level,
} from './rules.ts'
import { evaluateConditions } from './evaluate-conditions.ts'
import { testSandbox } from '../sandbox/test-sandbox.ts'

const facts: CallFacts = {
  action: 'email.send',
  args: { to: 'ada@example.com', amount: 40, lines: [1, 2] },
  agent: { id: 'agt_1', role: 'clerk' },
  workflow: { id: 'wf_1' },
  run: { id: 'run_1', tags: { customer: 'acme' } },
}
const now = Date.parse('2026-11-26T08:00:00Z')

const caller = { accountId: 'acc', action: 'judge calls', sandbox: testSandbox() }

async function judgeOn(given: CallFacts, rules: Rule[]) {
  const levels: Level[] = [{ level: 'account', rules }]
  const cases = [{ levels, facts: given }]
  const [evaluated = []] = await evaluateConditions(caller, cases, now)
  return judgeByRules(evaluated, given, now)
}
const judge = (...rules: Rule[]) => judgeOn(facts, rules)

describe('rules', () => {
  it('of several levels: the strictest decides, of equally strict ones the first', () => {
    const rule = (decision: Rule['decision']) => [{ action: 'email.send', decision }]
    const levelOf = (...levels: [Level['level'], Rule['decision']][]) =>
      judgeByRules(
        levels.map(([level, decision]) => ({ level, rules: rule(decision) })),
        facts,
        now,
      )?.level
    assert.equal(levelOf(['account', 'ask'], ['agent', 'ask']), 'account')
    assert.equal(levelOf(['account', 'allow'], ['agent', 'ask']), 'agent')
    assert.equal(levelOf(['account', 'block'], ['agent', 'ask']), 'account')
  })

  it('count in their order: the first that matches decides', async () => {
    const small: Rule = { action: 'email.send', when: 'args.amount <= 50.0', decision: 'allow' }
    assert.equal((await judge(small, { action: '*', decision: 'block' }))?.decision, 'allow')
    assert.equal((await judge({ action: '*', decision: 'block' }, small))?.decision, 'block')
    assert.equal(await judge({ action: 'slack.*', decision: 'block' }), undefined)
    assert.equal((await judge({ action: 'email.*', decision: 'ask' }))?.position, 0)
    assert.equal(await judge({ action: 'emai.*', decision: 'ask' }), undefined)
    const tagged: Rule = {
      action: 'email.*',
      when: 'run.tags.customer == "acme" && agent.role == "clerk" && workflow.id == "wf_1"',
      decision: 'block',
      reason: 'not for acme',
    }
    assert.deepEqual(await judge({ ...small, when: 'args.amount > 50.0' }, tagged), {
      level: 'account',
      position: 1,
      action: 'email.*',
      decision: 'block',
      reason: 'not for acme',
    })
  })

  it('ask where their condition fails, loops or names what is not there', async () => {
    const loop = 'args.lines.map(a, args.lines).exists(a, a.size() == 9)'
    for (const when of [
      'args.absent > 1.0',
      'args.to > 5',
      'run.tags.absent == "x"',
      'args.',
      'no',
    ]) {
      const found = await judge(
        { action: '*', when, decision: 'allow' },
        { action: '*', decision: 'block' },
      )
      assert.equal(found?.decision, 'ask', when)
      assert.match(found.reason ?? '', /its condition failed: /)
    }
    assert.equal(await judge({ action: '*', when: loop, decision: 'allow' }), undefined)
    const many = { ...facts, args: { many: Array.from({ length: 5_000 }, () => 1) } }
    const squared = 'args.many.all(a, args.many.all(b, a == b))'
    const rules: Rule[] = [{ action: '*', when: squared, decision: 'allow' }]
    assert.equal((await judgeOn(many, rules))?.decision, 'ask')
  })

  it('end when they expire', async () => {
    const rule: Rule = { action: '*', decision: 'allow', expires_at: '2026-11-26T08:00:00Z' }
    assert.equal(await judge(rule), undefined)
    assert.equal((await judge({ ...rule, expires_at: '2026-11-26T08:00:01Z' }))?.decision, 'allow')
  })

  it('of all levels are those for an action that have not expired', () => {
    const rule = (action: string, expires_at?: string): Rule => ({
      action,
      decision: 'ask',
      ...(expires_at !== undefined && { expires_at }),
    })
    const [past, later] = ['2026-11-26T07:59:59Z', '2026-11-26T08:00:01Z']
    const levels: Level[] = [
      { level: 'account', rules: [rule('*', past), rule('*', later), rule('slack.*')] },
      { level: 'agent', rules: [rule('email.send'), rule('slack.post', past)] },
    ]
    const found = rulesFor(levels, 'email.send', now)
    assert.deepEqual(found, [rule('*', later), rule('email.send')])
    assert.deepEqual(rulesFor(levels, 'remember', now), [])
  })

  it('are refused where their condition cannot be read', async () => {
    const found = await refuseRules(caller, [
      { action: '*', decision: 'ask' },
      { action: '*', decision: 'ask', when: 'args.a ==' },
    ])
    assert.equal(found?.path, '[1].when')
    assert.match(found.why, /line 1, column 10/)
  })

  it('are refused where they fix arguments under a condition on arguments, or are too long', async () => {
    const fixed = { channel: '#ops' }
    const onArgs = await refuseRules(caller, [
      { action: '*', decision: 'allow', fixed, when: 'args.n > 1' },
    ])
    assert.match(onArgs?.why ?? '', /expected a condition on agent, workflow and run alone/)
    const when = 'run.tags.customer == "acme" && agent.role == "clerk"'
    assert.equal(
      await refuseRules(caller, [{ action: '*', decision: 'allow', fixed, when }]),
      undefined,
    )
    const long = { text: 'a'.repeat(70_000) }
    assert.match(
      (await refuseRules(caller, [{ action: '*', decision: 'allow', fixed: long }]))?.why ?? '',
      /at most 65536/,
    )
  })

  it('are no matter of the tools of Muster itself', async () => {
    const rules: Rule[] = [{ action: '*', decision: 'block' }]
    const own = { ...facts, action: 'remember' }
    assert.equal(await judgeOn(own, rules), undefined)
  })
})

describe('a decision', () => {
  const one = { kind: 'approval', tool: 'email.send', approvals: { required: 1 } }
  const two = { ...one, approvals: { required: 2 } }
  const question = { kind: 'input', tool: null }
  const plain = { sensitive_actions: [], four_eyes: false }
  const eyes = { ...plain, four_eyes: true }
  const needs = (policies: Parameters<typeof needsSignIn>[0], ...requests: object[]) =>
    (['operator', 'account'] as const).map((sentBy) => needsSignIn(policies, requests, sentBy))

  it('needs a signed-in person about an action that the account calls sensitive', () => {
    const sensitive = { ...plain, sensitive_actions: ['email.send'] }
    assert.deepEqual(needs(sensitive, one), [true, true])
    assert.deepEqual(needs(sensitive, question, one), [true, true], 'also beside others')
    assert.deepEqual(needs(sensitive, { ...one, tool: 'crm.read' }), [false, false])
  })

  it('needs one where several have to agree, and an admin chose how the link was sent', () => {
    assert.deepEqual(needs(plain, one), [false, false])
    assert.deepEqual(needs(plain, two), [false, true])
    assert.deepEqual(needs(eyes, one), [false, true])
    assert.deepEqual(needs(eyes, { kind: 'budget' }), [false, true])
  })

  it('needs none for the answer to a question', () => {
    assert.deepEqual(needs(eyes, question), [false, false])
    assert.deepEqual(needs(eyes, question, one), [false, true])
  })
})
