import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { boundedOutput, judgeCall, pendingFor, type Verdict } from './ledger.ts'

const policy = (enabled: boolean, approvals: 'sensitive' | 'all' | 'never') => ({
  enabled,
  approvals,
  allow_input: true,
  timeout_seconds: null,
  on_timeout: 'fail' as const,
})

describe('the verdict on a call', () => {
  // [human-in-the-loop, approvals, what only reads, what is sensitive]
  const table: [boolean, 'sensitive' | 'all' | 'never', Verdict, Verdict][] = [
    [true, 'sensitive', 'execute', 'ask'],
    [true, 'all', 'ask', 'ask'],
    [true, 'never', 'execute', 'execute'],
    [false, 'sensitive', 'execute', 'refuse'],
    [false, 'all', 'execute', 'refuse'],
    [false, 'never', 'execute', 'execute'],
  ]
  for (const [enabled, approvals, reading, writing] of table) {
    it(`is ${reading} or ${writing} with ${approvals} and people ${enabled ? 'there' : 'away'}`, () => {
      const judge = (sensitive: boolean, isAction = true) =>
        judgeCall({ tool: 'a.b', sensitive }, isAction, policy(enabled, approvals))
      assert.equal(judge(false), reading)
      assert.equal(judge(true), writing)
      assert.equal(judge(false, false), 'execute', 'a note is no action')
    })
  }

  it('is to ask where the agent asks', () => {
    const call = { tool: 'request_input', sensitive: false }
    assert.equal(judgeCall(call, false, policy(true, 'never')), 'ask')
  })
})

describe('what a person is asked', () => {
  const step = { position: 2, role: 'writer' }
  const where = { step_order: 2, role: 'writer', call_id: 'call_1' }

  it('is the question, the action, or whether to repeat it', () => {
    const call = { id: 'call_1', tool: 'request_input', input: { question: 'Why?' } }
    assert.deepEqual(pendingFor('pnd_1', step, { ...call, status: 'proposed' }), {
      id: 'pnd_1',
      kind: 'input',
      prompt: 'Why?',
      ...where,
    })
    const send = { id: 'call_1', tool: 'email.send', input: { to: 'a' } }
    const approval = pendingFor('pnd_1', step, { ...send, status: 'proposed' })
    assert.deepEqual([approval.kind, approval.tool_input], ['approval', { to: 'a' }])
    const repeat = pendingFor('pnd_1', step, { ...send, status: 'unknown' })
    assert.match(repeat.prompt, /unknown whether email\.send was done/)
  })
})

describe('what a tool answers', () => {
  it('is kept as it is up to 64 KB, and cut between characters beyond', () => {
    const full = 'x'.repeat(64 * 1024)
    assert.equal(boundedOutput(full), full)
    const cut = boundedOutput('x' + '€'.repeat(30_000))
    assert.match(cut, /^x€+\n\n\[cut: the first 65536 of 90001 bytes\]$/)
    assert.equal(boundedOutput('a\0\uD800'), 'a\uFFFD\uFFFD')
  })
})
