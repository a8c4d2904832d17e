import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { actOnce, mailFixture } from '../../../test/clerk.ts'
import { pluck } from '../../../test/pluck.ts'
import { codeOf, type ApiClient } from '../../../test/api-client.ts'
import { createAccount } from '../../accounts/create-account.ts'

/**
 * Tests suggested rules, and rules tried on past decisions, with real calls that are copied many
 * times.
 */
const { app, mail } = mailFixture()
let admin: ApiClient
let workflowId: string
let run: { id: string; pending: { id: string } }
const letter = { to: 'a@example.org', subject: 's', text: 't' }

beforeEach(async () => {
  admin = app.as((await createAccount(app.database, 'decisions')).adminKey)
  const uses = { connectors: ['email'], capabilities: ['email.send'] }
  const crew = [{ role: 'clerk', systemPrompt: 'act', ...uses }]
  workflowId = await admin.createWorkflow({ crew, human_in_the_loop: { enabled: true } })
  app.answer = actOnce({ name: 'email__send', arguments: letter })
  run = await admin.run(workflowId)
  await admin.post(`/v1/runs/${run.id}/respond`, { action: 'approve', pending_id: run.pending.id })
  assert.equal((await admin.rest(run.id)).status, 'completed')
})

/** Copies the first decision `count` times, with earlier dates; `fields` apply to all copies. */
async function plant(
  count: number,
  fields: { decision?: string; text?: string; by?: string } = {},
) {
  const { decision = 'approved', text = 'planted', by = 'usr_other' } = fields
  await app.sql`
    insert into tool_calls (account_id, run_id, step_position, turn, position, id, provider_call_id, tool, sensitive,
                            tool_version, input, status, output, decision, decided_by, decider_name, decided_at)
    select account_id, run_id, step_position, nth, 0, id || '_' || nth, id || nth, tool, sensitive, tool_version,
           json_build_object('to', 'a@example.org', 'subject', 's', 'text', ${text}::text || nth),
           'rejected', 'out', ${decision}, ${by}, 'Other', decided_at - nth * interval '1 second'
    from tool_calls,
    lateral (select coalesce(max(turn), 0) as last from tool_calls as own where own.run_id = ${run.id}) as turns,
    lateral generate_series(turns.last + 1, turns.last + ${count}::int) as nth
    where run_id = ${run.id} and turn = 0`
}

const suggestions = async (by = admin) => (await by.get('/v1/rules/suggestions')).suggestions

describe('rules that decisions suggest', () => {
  it('are there after 20 approvals, with the evidence, and are accepted and undone', async () => {
    await plant(18)
    assert.deepEqual(await suggestions(), [])
    await plant(1)
    const [{ rule, decisions, ...found }, ...others] = await suggestions()
    assert.deepEqual(others, [])
    assert.equal(found.count, 20)
    assert.deepEqual(decisions[0].run_id, run.id)
    assert.equal(new Set(pluck(decisions, 'call_id')).size, 20)
    assert.equal(new Set(pluck(decisions, 'decided_by')).size, 2, 'of two')
    assert.ok(found.first_decided_at < found.last_decided_at)
    assert.deepEqual(await admin.post('/v1/rules', { rule }), { rule })
    assert.deepEqual(await suggestions(), [], 'nothing new')
    const call = {
      action: 'email.send',
      args: { ...letter, text: 'new' },
      workflow_id: workflowId,
      order: 0,
    }
    assert.equal((await admin.post('/v1/rules/test', call)).outcome, 'execute')
    assert.equal((await admin.run(workflowId)).status, 'completed')
    const [change] = await admin.get('/v1/audit?action=rule.added')
    assert.deepEqual([change.action, change.after.rules], ['rule.added', [rule]])
    await admin.post('/v1/rules/remove', { rule })
    assert.deepEqual((await admin.get('/v1/policies')).rules, [])
    const again = await admin.call('POST', '/v1/rules/remove', { body: { rule } })
    assert.deepEqual(codeOf(again), [400, 'unknown_rule'])
  })

  it('are none after a rejection or under a stricter rule, floor or version', async () => {
    await plant(19)
    await admin.patch('/v1/policies', { approvals_floor: 'sensitive' })
    assert.deepEqual(await suggestions(), [])
    const ask = { action: 'email.*', decision: 'ask' }
    await admin.patch('/v1/policies', { approvals_floor: 'none', rules: [ask] })
    assert.deepEqual(await suggestions(), [])
    await admin.patch('/v1/policies', { rules: [] })
    assert.equal((await suggestions()).length, 1)
    await plant(1, { decision: 'rejected' })
    assert.deepEqual(await suggestions(), [])
    await app.sql`delete from tool_calls where decision = 'rejected' and run_id = ${run.id}`
    await admin.put('/v1/connectors/email', {
      host: '127.0.0.1',
      port: mail.port,
      from: 'a@example.com',
    })
    assert.deepEqual(await suggestions(), [], 'the connection is another')
  })

  it('are of their own account', async () => {
    await plant(19)
    const other = app.as((await createAccount(app.database, 'other')).adminKey)
    assert.deepEqual(await suggestions(other), [])
    const rule = { action: 'email.send', decision: 'allow' }
    await other.post('/v1/rules', { rule })
    assert.deepEqual((await admin.get('/v1/policies')).rules, [])
  })
})

describe('a rule that is proposed for a waiting call', () => {
  it("is made of the account's decisions, and reads nothing of others", async () => {
    await plant(2)
    app.answer = actOnce({ name: 'email__send', arguments: { ...letter, text: 'new' } })
    const waiting = await admin.run(workflowId)
    const body = { pending_id: waiting.pending.id }
    const proposed = await admin.post('/v1/rules/propose', body)
    const { rule, decisions, ...counts } = proposed
    assert.deepEqual(counts, { outcome: 'execute', count: 3, rejected_allowed: 0 })
    assert.equal(decisions.length, 3)
    assert.match(rule.when, /args\["to"\] == "a@example\.org" && workflow\.id == "wf_/)
    assert.deepEqual((await admin.get('/v1/policies')).rules, [], 'nothing is stored')
    for (const stricter of [
      { approvals_floor: 'all' },
      { rules: [{ action: 'email.*', decision: 'ask' }] },
    ]) {
      await admin.patch('/v1/policies', stricter)
      assert.equal((await admin.post('/v1/rules/propose', body)).outcome, 'ask')
      await admin.patch('/v1/policies', { approvals_floor: 'none', rules: [] })
    }
    await admin.post('/v1/rules', { rule })
    const tested = await admin.post('/v1/rules/test', body)
    assert.equal(tested.outcome, 'execute')
    const copied = {
      action: 'email.send',
      args: { ...letter, cc: 'b@example.org' },
      workflow_id: workflowId,
      order: 0,
    }
    assert.equal((await admin.post('/v1/rules/test', copied)).outcome, 'ask')
    // Each of several calls of a turn has a rule of its own.
    await admin.patch('/v1/policies', { rules: [] })
    const two = ['c@example.com', 'd@example.com'].map((to, n) => ({
      id: `call-${n}`,
      name: 'email__send',
      arguments: { ...letter, to },
    }))
    app.answer = actOnce(...two)
    const { calls } = (await admin.run(workflowId)).pending
    const ofSecond = await admin.post('/v1/rules/propose', { pending_id: calls[1].id })
    assert.match(ofSecond.rule.when, /args\["to"\] in \["a@example\.org", "d@example\.com"\]/)
    const other = app.as((await createAccount(app.database, 'other')).adminKey)
    const unknown = await other.call('POST', '/v1/rules/propose', { body })
    assert.deepEqual(codeOf(unknown), [404, 'not_found'])
  })
})

describe('a rule that is added', () => {
  it('comes last, ends after 90 days where nothing is said, and has a bound', async () => {
    const rule = { action: 'email.send', decision: 'allow' }
    const { rule: added } = await admin.post('/v1/rules', { rule })
    const days = (Date.parse(added.expires_at) - Date.now()) / 86_400_000
    assert.ok(days > 89.9 && days <= 90)
    const forever = { ...rule, expires_at: null }
    await admin.post('/v1/rules', { rule: forever })
    assert.deepEqual((await admin.get('/v1/policies')).rules, [added, forever])
    const wrong = await admin.call('POST', '/v1/rules', { body: { rule: { ...rule, when: 'x.' } } })
    assert.deepEqual([wrong.status, wrong.body.error.param], [400, 'rules[2].when'])
    await admin.patch('/v1/policies', { rules: Array.from({ length: 50 }, () => rule) })
    const full = await admin.call('POST', '/v1/rules', { body: { rule } })
    assert.deepEqual(codeOf(full), [409, 'too_many_rules'])
  })
})

describe('rules tried on decisions', () => {
  it('say what they would have made of the last 100, and which differ', async () => {
    await plant(30)
    await plant(4, { decision: 'rejected', text: 'bad' })
    await plant(2, { decision: 'edited', text: 'bad' })
    const tryRules = (body: object, by = admin) => by.post('/v1/rules/try', body)
    const rule = { action: 'email.send', decision: 'allow' }
    const all = await tryRules({ rules: [rule] })
    const { decisions, ...counts } = all
    assert.deepEqual(counts, { allowed: 37, asked: 0, blocked: 0, rejected_allowed: 6 })
    assert.equal(decisions.length, 37)
    assert.match(decisions[0].summary, /^email\.send \(to: a@example\.org/)
    const blocking = { ...rule, when: 'args.text.startsWith("bad")', decision: 'block' }
    const half = await tryRules({ rules: [blocking] })
    assert.deepEqual([half.allowed, half.asked, half.blocked], [0, 31, 6])
    assert.deepEqual((await tryRules({ rules: [{ ...rule, action: 'slack.*' }] })).decisions, [])
    await admin.patch('/v1/policies', { rules: [blocking] })
    const ofEntry = { rules: [rule], level: 'crew_entry', workflow_id: workflowId, order: 0 }
    const entry = await tryRules(ofEntry)
    assert.deepEqual([entry.allowed, entry.blocked], [31, 6], 'the account is stricter')
    assert.deepEqual((await tryRules({ ...ofEntry, order: 1 })).decisions, [])
    await plant(100)
    assert.equal((await tryRules({ rules: [rule] })).decisions.length, 100)
    const other = app.as((await createAccount(app.database, 'other')).adminKey)
    assert.deepEqual((await tryRules({ rules: [rule] }, other)).decisions, [])
  })
})
