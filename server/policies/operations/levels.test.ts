import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { actOnce, mailFixture, type ToolCall } from '../../../test/clerk.ts'
import { codeOf, type Answer, type ApiClient } from '../../../test/api-client.ts'
import type { ChatRequest } from '../../../test/test-app.ts'
import { createAccount } from '../../accounts/create-account.ts'

/** Tests the rules of agents and crew entries, and arguments fixed by rules, in real runs. */
const { app, mail } = mailFixture()
let admin: ApiClient
let seen: ChatRequest[]
beforeEach(async () => {
  mail.mails.length = 0
  admin = app.as((await createAccount(app.database, 'rules')).adminKey)
})

const uses = { connectors: ['email'], capabilities: ['email.send'] }
const asks = { enabled: true, approvals: 'sensitive' }
const letter = (fields: object = {}): ToolCall => ({
  name: 'email__send',
  arguments: { to: 'a@example.org', subject: 's', text: 't', ...fields },
})

function act(...calls: ToolCall[]): void {
  seen = []
  const answer = actOnce(...calls)
  app.answer = (request, ...rest) => {
    seen.push(request)
    answer(request, ...rest)
  }
}

async function createCrew({ agent = {}, entry = {} }: Record<string, object> = {}) {
  const agentId = await admin.createAgent({ name: 'Clerk', role: 'clerk', ...uses, ...agent })
  const crew = [{ role: 'clerk', systemPrompt: 'act', agentId, ...entry }]
  return { agentId, workflowId: await admin.createWorkflow({ crew, human_in_the_loop: asks }) }
}

const callOf = (run: Answer['body']) => run.steps[0].tool_calls[0]
const block = { action: 'email.send', decision: 'block', reason: 'not now' }
const allow = { action: 'email.*', decision: 'allow' }

describe('rules of agents and crew entries', () => {
  it('count beside those of the account: the stricter decides', async () => {
    act(letter())
    const { agentId, workflowId } = await createCrew({ agent: { rules: [allow] } })
    const allowed = await admin.run(workflowId)
    assert.equal(allowed.status, 'completed')
    assert.deepEqual(callOf(allowed).rule, {
      level: 'agent',
      position: 0,
      action: 'email.*',
      decision: 'allow',
      reason: null,
    })
    const crew = [{ role: 'clerk', systemPrompt: 'act', agentId, rules: [block] }]
    await admin.patch(`/v1/workflows/${workflowId}`, { crew })
    const blocked = await admin.run(workflowId)
    assert.deepEqual(
      [callOf(blocked).rule.level, callOf(blocked).status],
      ['crew_entry', 'rejected'],
    )
    await admin.patch('/v1/policies', { rules: [block] })
    assert.equal(callOf(await admin.run(workflowId)).rule.level, 'account')
    assert.equal(mail.mails.length, 1)
  })

  it('of an entry without a standing agent count as well', async () => {
    act(letter())
    const crew = [{ role: 'clerk', systemPrompt: 'act', ...uses, rules: [allow] }]
    const workflowId = await admin.createWorkflow({ crew, human_in_the_loop: asks })
    assert.equal((await admin.run(workflowId)).status, 'completed')
  })

  it('are frozen with the run, for its approvals too', async () => {
    act(letter())
    const { agentId, workflowId } = await createCrew()
    const waiting = await admin.run(workflowId)
    await admin.patch(`/v1/agents/${agentId}`, { rules: [block] })
    const approve = { action: 'approve', pending_id: waiting.pending.id }
    await admin.post(`/v1/runs/${waiting.id}/respond`, approve)
    assert.equal((await admin.rest(waiting.id)).status, 'completed')
    const half = { ...block, when: 'args.subject == "edited"' }
    await admin.patch(`/v1/agents/${agentId}`, { rules: [half] })
    const next = await admin.run(workflowId)
    await admin.patch(`/v1/agents/${agentId}`, { rules: [] })
    const edited = await admin.call('POST', `/v1/runs/${next.id}/respond`, {
      body: {
        ...approve,
        pending_id: next.pending.id,
        tool_input: { ...(letter().arguments as object), subject: 'edited' },
      },
    })
    assert.deepEqual(codeOf(edited), [409, 'blocked_by_rule'])
  })

  it('are part of versions, and of their diff', async () => {
    const { agentId } = await createCrew({ agent: { rules: [allow] } })
    await admin.patch(`/v1/agents/${agentId}`, { rules: [block] })
    const diff = await admin.get(`/v1/agents/${agentId}/versions/1/diff`)
    assert.deepEqual(diff.changes, [
      { field: 'rules', agent: null, before: [allow], after: [block], parts: null },
    ])
    const back = await admin.post(`/v1/agents/${agentId}/versions/1/publish`, {})
    assert.deepEqual(back.rules, [allow])
  })

  it('are refused where they are wrong, with their place', async () => {
    const wrong = [{ action: 'email.send', decision: 'allow', when: 'args.' }]
    const entry = { role: 'r', systemPrompt: 's', rules: wrong }
    const absent = { ...allow, action: 'email.send', fixed: { channel: 'x' } }
    const ofType = { ...absent, fixed: { subject: 5 } }
    const onArgs = { ...absent, fixed: { subject: 's' }, when: 'args.to == "x"' }
    const agent = { name: 'a', role: 'r', systemPrompt: 's' }
    const cases: [string, object, string, RegExp][] = [
      ['/v1/agents', { ...agent, rules: wrong }, 'rules[0].when', /no CEL condition/],
      ['/v1/workflows', { name: 'w', crew: [entry] }, 'crew[0].rules[0].when', /no CEL condition/],
      ['/v1/agents', { ...agent, rules: [absent] }, 'rules[0].fixed', /channel/],
      ['/v1/agents', { ...agent, rules: [ofType] }, 'rules[0].fixed', /subject must be string/],
      ['/v1/agents', { ...agent, rules: [onArgs] }, 'rules[0].when', /names args/],
    ]
    for (const [path, body, param, why] of cases) {
      const answer = await admin.call('POST', path, { body })
      assert.deepEqual([answer.status, answer.body.error.param], [400, param])
      assert.match(answer.body.error.message, why)
    }
  })

  it('are tried with the levels of an agent, a crew entry or a waiting call', async () => {
    act(letter())
    const { agentId, workflowId } = await createCrew({
      agent: { rules: [{ ...allow, fixed: { subject: 'set' } }] },
    })
    const call = { action: 'email.send', args: { to: 'x', text: 't' } }
    const test = (body: object) => admin.post('/v1/rules/test', body)
    assert.deepEqual([(await test(call)).rule, (await test(call)).outcome], [null, null])
    const ofAgent = await test({ ...call, agent: { id: agentId } })
    assert.deepEqual([ofAgent.rule.level, ofAgent.args.subject], ['agent', 'set'])
    const ofEntry = await test({ ...call, workflow_id: workflowId, order: 0 })
    assert.deepEqual([ofEntry.rule.level, ofEntry.outcome], ['agent', 'execute'])
    const tried = {
      ...call,
      workflow_id: workflowId,
      order: 0,
      rules: [block],
      level: 'crew_entry',
    }
    assert.deepEqual(
      [(await test(tried)).rule.level, (await test(tried)).outcome],
      ['crew_entry', 'refuse'],
    )
    await admin.patch(`/v1/agents/${agentId}`, { rules: [] })
    const { pending } = await admin.run(workflowId)
    const waiting = await test({ pending_id: pending.id })
    assert.deepEqual([waiting.rule, waiting.outcome, waiting.args.subject], [null, 'ask', 's'])
    const blocked = await test({ pending_id: pending.id, rules: [block] })
    assert.deepEqual([blocked.rule.level, blocked.outcome], ['account', 'refuse'])
    const wrong: [object, number, string | undefined][] = [
      [{}, 400, 'action'],
      [{ ...call, order: 0 }, 400, 'workflow_id'],
      [{ ...call, workflow_id: workflowId, order: 1 }, 400, 'order'],
      [{ ...call, workflow_id: 'wf_none' }, 400, 'workflow_id'],
      [{ ...call, agent: { id: 'agt_none' } }, 400, 'agent.id'],
      [{ pending_id: 'pnd_none' }, 404, undefined],
    ]
    const other = app.as((await createAccount(app.database, 'other')).adminKey)
    for (const [body, status, param] of wrong) {
      const { status: found, body: answer } = await admin.call('POST', '/v1/rules/test', { body })
      assert.deepEqual([found, answer.error.param], [status, param], JSON.stringify(body))
    }
    for (const [body, status] of [
      [{ ...call, agent: { id: agentId } }, 400],
      [{ ...call, workflow_id: workflowId }, 400],
      [{ pending_id: pending.id }, 404],
    ] as const) {
      assert.equal((await other.call('POST', '/v1/rules/test', { body })).status, status)
    }
  })
})

describe('fixed arguments', () => {
  const fixed = { ...allow, action: 'email.send', fixed: { to: 'ops@example.com' } }
  const { to: _, ...unaddressed } = letter().arguments as { to: string }
  const schemaOf = ({ tools }: ChatRequest) =>
    tools?.find(({ function: { name } }) => name === 'email__send')?.function.parameters as {
      properties: object
      required: string[]
    }

  it('are not shown to the model, and are in the call that goes out', async () => {
    act({ name: 'email__send', arguments: unaddressed })
    const { workflowId } = await createCrew({ entry: { rules: [fixed] } })
    const run = await admin.run(workflowId)
    assert.equal(run.status, 'completed')
    const [first, second] = seen
    assert.ok(first !== undefined && second !== undefined)
    assert.equal('to' in schemaOf(first).properties, false)
    assert.ok(!schemaOf(first).required.includes('to'))
    assert.ok('subject' in schemaOf(first).properties)
    assert.doesNotMatch(JSON.stringify(second.messages[2]), /ops@example/)
    assert.equal(callOf(run).input.to, 'ops@example.com')
    assert.equal(mail.mails[0]?.to?.[0]?.address, 'ops@example.com')
  })

  it('are not overridden by the model', async () => {
    act(letter({ to: 'evil@example.net' }))
    const { workflowId } = await createCrew({ agent: { rules: [fixed] } })
    const run = await admin.run(workflowId)
    assert.equal(callOf(run).status, 'failed')
    assert.match(callOf(run).output, /a rule sets the argument to, leave it out/)
    act(letter({ to: 'ops@example.com' }))
    assert.equal(callOf(await admin.run(workflowId)).status, 'succeeded')
    assert.equal(mail.mails.length, 1)
  })

  it('are shown whole to who approves, whose edit cannot change them', async () => {
    act({ name: 'email__send', arguments: unaddressed })
    await admin.patch('/v1/policies', { rules: [{ ...fixed, decision: 'ask' }] })
    const { workflowId } = await createCrew()
    const { id, pending } = await admin.run(workflowId)
    assert.deepEqual(pending.tool_input, { ...unaddressed, to: 'ops@example.com' })
    assert.match(pending.prompt, /to: ops@example\.com/)
    const edit = (tool_input: object) =>
      admin.call('POST', `/v1/runs/${id}/respond`, {
        body: { action: 'approve', pending_id: pending.id, tool_input },
      })
    const other = await edit({ ...pending.tool_input, to: 'evil@example.net' })
    assert.deepEqual(
      [...codeOf(other), other.body.error.param],
      [409, 'blocked_by_rule', 'tool_input.to'],
    )
    assert.match(other.body.error.message, /a rule sets tool_input\.to to "ops@example\.com"/)
    assert.equal((await edit({ ...pending.tool_input, subject: 'edited' })).status, 202)
    await admin.rest(id)
    assert.equal(mail.mails[0]?.to?.[0]?.address, 'ops@example.com')
    // A rule that came after the call was proposed holds as well.
    await admin.patch('/v1/policies', { rules: [] })
    act(letter())
    const late = await admin.run((await createCrew()).workflowId)
    await admin.patch('/v1/policies', { rules: [fixed] })
    const approved = await admin.call('POST', `/v1/runs/${late.id}/respond`, {
      body: { action: 'approve', pending_id: late.pending.id },
    })
    assert.deepEqual(codeOf(approved), [409, 'blocked_by_rule'])
  })

  it('are texts as they stand, whatever a template or the input of a run says', async () => {
    const literal = { ...fixed, fixed: { subject: '{{ data.subject }}', to: 'ops@example.com' } }
    const { subject: __, ...rest } = unaddressed as { subject?: string }
    act({ name: 'email__send', arguments: rest })
    const { workflowId } = await createCrew({ entry: { rules: [literal] } })
    const run = await admin.run(workflowId, { data: { to: 'evil@example.net', subject: 'evil' } })
    assert.deepEqual(callOf(run).input, { ...rest, ...literal.fixed })
  })
})
