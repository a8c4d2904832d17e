import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { until } from '../../rig/until.ts'
import { startWebhookReceiver } from '../../rig/webhook-receiver.ts'
import { fixture, prepare } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { codeOf, type Answer } from '../../test/api-client.ts'
import { complete, startTestApp } from '../../test/test-app.ts'
import { passTime } from '../../test/pass-time.ts'

/** The cost of a call with 20 input and 256 output tokens, at 1 and 2 USD for a million. */
const callUsd = 0.000532
const crew = ['a', 'b', 'c'].map((role) => ({
  role,
  systemPrompt: role,
  maxTokens: 256,
}))
let calls = 0
const app = fixture(() =>
  startTestApp({
    intervals: { expiryMs: 20 },
    answer: (_request, response) => {
      calls += 1
      complete(response, 'done', 20, 256)
    },
  }),
)
fixture(() => app.startAnother('worker'))
// The account has a budget before its first run, so that no process has cached that it has none.
prepare(async () => {
  await app.post('/v1/budgets', { name: 'All', scope: 'account', window: 'day', cap_usd: 1_000 })
})
beforeEach(() => {
  calls = 0
})

const asking = { on_cost: 'ask', max_cost_usd: 1.5 * callUsd }
const create = (limits: object, fields: object = {}) =>
  app.createWorkflow({ crew, limits, ...fields })
async function start(workflowId: string): Promise<Answer['body']> {
  return app.rest(await app.trigger(workflowId, { input: 'x' }))
}
const respond = (id: string, body: object, key?: string) =>
  app.call('POST', `/v1/runs/${id}/respond`, {
    body,
    ...(key !== undefined && { key }),
  })
const eventsOf = async (id: string): Promise<{ type: string; data: Record<string, unknown> }[]> =>
  app.sql`select type, data from events where run_id = ${id} order by sequence` as never

describe('a run with on_cost ask', () => {
  it('pauses before the call that would pass its limit, and goes on once a person raises it', async () => {
    await using receiver = await startWebhookReceiver()
    await app.post('/v1/webhooks', {
      url: receiver.url,
      events: ['run.waiting_input'],
    })
    const run = await start(await create(asking))
    assert.deepEqual([run.status, calls, run.cost_usd], ['waiting_input', 1, callUsd])
    const { cost, ...pending } = run.pending
    assert.deepEqual([pending.kind, pending.role, pending.call_id], ['budget', 'b', undefined])
    assert.deepEqual(
      [cost.spent_usd, cost.run_cost_usd, cost.budget],
      [callUsd, callUsd, undefined],
    )
    assert.equal(cost.limit_usd, asking.max_cost_usd)
    assert.ok(cost.estimate_usd >= 512e-6 && cost.estimate_usd < 2 * callUsd)
    assert.match(
      pending.prompt,
      /^b needs approval to spend more: limits.max_cost_usd of 0.000798 USD has no room for the next model call \(spent: 0.000532 USD, estimate: up to 0.0007\d+ USD\)\. Approve with a higher limit for this run to go on; reject to end the run\.$/,
    )
    await receiver.until(() => receiver.received.length === 1)
    const { body } = receiver.received[0] ?? {}
    assert.deepEqual([body.data.pending.id, body.data.pending.cost], [pending.id, cost])

    const refused = async (answer: object, code: string, param: string) => {
      const { status, body } = await respond(run.id, answer)
      assert.deepEqual([status, body.error.code, body.error.param], [400, code, param])
    }
    await refused({ action: 'approve' }, 'required', 'max_cost_usd')
    await refused({ action: 'approve', max_cost_usd: callUsd }, 'invalid_value', 'max_cost_usd')
    await refused({ action: 'approve', max_cost_usd: 2e6 }, 'number_too_large', 'max_cost_usd')
    await refused({ action: 'reject', max_cost_usd: 1 }, 'invalid_value', 'max_cost_usd')
    await refused(
      { action: 'approve', max_cost_usd: 1, tool_input: {} },
      'invalid_value',
      'tool_input',
    )
    await refused({ action: 'input', input: 'x' }, 'action_mismatch', 'action')

    const answer = {
      action: 'approve',
      max_cost_usd: 1.9 * callUsd,
      pending_id: pending.id,
    }
    const answered = await respond(run.id, answer)
    assert.deepEqual([answered.status, answered.body.data.status], [202, 'running'])
    const again = await app.rest(run.id)
    // The new limit leaves no room for a further call, so the run asks again.
    assert.deepEqual([again.status, again.pending.cost.limit_usd], ['waiting_input', 1.9 * callUsd])
    assert.notEqual(again.pending.id, pending.id)
    assert.deepEqual(codeOf(await respond(run.id, answer)), [409, 'pending_mismatch'])
    await app.post(`/v1/runs/${run.id}/respond`, {
      action: 'approve',
      max_cost_usd: 1,
    })
    const done = await app.rest(run.id)
    assert.deepEqual([done.status, calls], ['completed', 3])
    const resumed = (await eventsOf(run.id)).filter(({ type }) => type === 'run.resumed')
    assert.deepEqual(pluck(pluck(resumed, 'data'), 'decision', 'max_cost_usd'), [
      ['approved', 1.9 * callUsd],
      ['approved', 1],
    ])
    const audit = await app.get(`/v1/audit?object_id=${run.id}&action=run.responded`)
    assert.deepEqual(audit[0].after.max_cost_usd, 1)
  })

  it('ends when a person rejects, once under one key, and says who', async () => {
    const { id } = await start(await create(asking))
    const answer = { action: 'reject', reason: 'too dear' }
    const headers = { 'idempotency-key': 'reject-once' }
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await app.call('POST', `/v1/runs/${id}/respond`, {
        body: answer,
        headers,
      })
      assert.deepEqual([status, body.data], [202, { id, status: 'failed' }])
    }
    const run = await app.get(`/v1/runs/${id}`)
    assert.deepEqual([run.status, run.error_code, run.pending], ['failed', 'budget_exceeded', null])
    assert.match(run.error, /^step 2 \(b\): limits\.max_cost_usd .*; .* rejected more: too dear$/)
    assert.deepEqual([run.steps[0].output, calls], ['done', 1])
  })

  it('fails as with fail where nobody answers, whatever on_timeout says', async () => {
    const people = { timeout_seconds: 60, on_timeout: 'reject' }
    const { id } = await start(await create(asking, { human_in_the_loop: people }))
    await app.sql`update runs set expires_at = now() where id = ${id}`
    await until(
      'it expired',
      15_000,
      async () => (await app.get(`/v1/runs/${id}`)).status === 'failed',
    )
    const run = await app.get(`/v1/runs/${id}`)
    assert.equal(run.error_code, 'budget_exceeded')
    assert.match(run.error, /limits\.max_cost_usd .*; nobody answered within \d/)
  })

  it('takes the answer of those who may answer alone', async () => {
    const [ada, bob] = await Promise.all([app.join('ada', 'approver'), app.join('bob', 'member')])
    const people = { approvers: { users: [ada.id, bob.id], roles: [] } }
    const workflowId = await create(asking, { human_in_the_loop: people })
    const triggered = await bob.call('POST', `/v1/workflows/${workflowId}/runs`, { input: 'x' })
    const { id, pending } = await app.rest(triggered.body.data.id)
    const path = `/v1/runs/${id}/respond`
    const yes = { action: 'approve', max_cost_usd: 1 }
    assert.deepEqual(codeOf(await respond(id, yes)), [403, 'not_an_approver'])
    await app.call('PATCH', '/v1/policies', {
      body: { four_eyes: true, require_pending_id: true },
    })
    try {
      assert.deepEqual(codeOf(await ada.call('POST', path, yes)), [400, 'required'])
      const named = { ...yes, pending_id: pending.id }
      assert.deepEqual(codeOf(await bob.call('POST', path, named)), [403, 'four_eyes'])
      assert.equal((await ada.call('POST', path, named)).status, 202)
    } finally {
      await app.call('PATCH', '/v1/policies', {
        body: { four_eyes: false, require_pending_id: false },
      })
    }
    assert.equal((await app.rest(id)).status, 'completed')
  })

  it('leaves its approval to no fork, and the wait takes none of its time', async () => {
    const workflowId = await create({ ...asking, max_run_seconds: 5 })
    const { id } = await start(workflowId)
    await passTime(app.database, '1 hour')
    await app.post(`/v1/runs/${id}/respond`, {
      action: 'approve',
      max_cost_usd: 1,
    })
    assert.equal((await app.rest(id)).status, 'completed')
    const fork = await app.post(`/v1/runs/${id}/fork`, { from_step: 0 })
    const forked = await app.rest(fork.id)
    assert.deepEqual([forked.status, forked.pending?.kind], ['waiting_input', 'budget'])
  })
})

describe('a budget with on_cap ask', () => {
  it('lets a run that a person approves go beyond its cap, and no other', async () => {
    const workflowId = await create({})
    const budget = await app.post('/v1/budgets', {
      name: 'Small',
      scope: 'workflow',
      scope_value: workflowId,
      window: 'day',
      cap_usd: 1.5 * callUsd,
      on_cap: 'ask',
    })
    const first = await start(workflowId)
    assert.equal(first.status, 'waiting_input')
    const second = await start(workflowId)
    const { cost } = second.pending
    assert.deepEqual(
      [cost.budget.id, cost.limit_usd, cost.run_cost_usd],
      [budget.id, 1.5 * callUsd, 0],
    )
    assert.match(second.pending.prompt, /the budget Small of 0.000798 USD a day has no room/)
    assert.equal((await app.get(`/v1/budgets/${budget.id}`)).reserved_usd, 0)
    await app.post(`/v1/runs/${first.id}/respond`, {
      action: 'approve',
      max_cost_usd: 2.5 * callUsd,
    })
    const asked = await app.rest(first.id)
    assert.deepEqual([asked.status, asked.steps.length], ['waiting_input', 3])
    await app.post(`/v1/runs/${first.id}/respond`, {
      action: 'approve',
      max_cost_usd: 1,
    })
    assert.equal((await app.rest(first.id)).status, 'completed')
    assert.equal((await app.get(`/v1/runs/${second.id}`)).status, 'waiting_input')
    await app.post(`/v1/runs/${second.id}/respond`, { action: 'reject' })
    const failed = await app.rest(second.id)
    assert.match(failed.error, /the budget Small .* rejected more$/)
    const { spent_usd: spent } = await app.get(`/v1/budgets/${budget.id}`)
    assert.ok(Math.abs(spent - 3 * callUsd) < 1e-9)
  })
})
