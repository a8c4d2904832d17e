import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixture } from '../../test/fixture.ts'
import { send } from '../../rig/scripted-server.ts'
import { codeOf, type Answer } from '../../test/api-client.ts'
import { complete, echo, startTestApp } from '../../test/test-app.ts'
import type { ServerResponse } from 'node:http'
import { actOnce, clerkFixture, write } from '../../test/clerk.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() => startTestApp())

const crew = [
  { role: 'planner', systemPrompt: 'plan' },
  { role: 'writer', systemPrompt: 'write' },
  { role: 'editor', systemPrompt: 'edit' },
]

const refuse = (response: ServerResponse) => send(response, { error: { message: 'no' } }, 400)

const fork = (runId: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  app.call('POST', `/v1/runs/${runId}/fork`, { body, headers })

async function forked(runId: string, body: object): Promise<Answer['body']> {
  const { status, body: answer } = await fork(runId, body)
  assert.equal(status, 202, JSON.stringify(answer))
  return app.rest(answer.data.id)
}

async function completed(fields: object = {}): Promise<Answer['body']> {
  app.answer = echo
  return app.run(await app.createWorkflow({ crew, ...fields }), 'hello')
}

describe('a fork', () => {
  it('takes over the steps before one, at no cost, and executes the rest', async () => {
    const run = await completed()
    const calls = app.models.requests.length
    const result = await forked(run.id, { from_step: 2 })
    assert.equal(app.models.requests.length - calls, 1)
    assert.deepEqual(
      [result.status, result.output, result.forked_from, result.retry_of],
      ['completed', run.output, { run_id: run.id, step: 2 }, null],
    )
    assert.deepEqual(pluck(result.steps, 'reused_from'), [run.id, run.id, null])
    assert.deepEqual(pluck(result.steps.slice(0, 2), 'cost_usd'), [0, 0])
    assert.equal(result.tokens_in, result.steps[2].tokens_in)
    assert.equal(result.workflow_version, 1)
    assert.deepEqual(pluck(await app.get(`/v1/runs?forked_from=${run.id}`), 'id'), [result.id])
    const [first] = await app.events(result.id)
    assert.deepEqual(first?.data, { forked_from: run.id, from_step: 2 })
  })

  it('goes on from given outputs and another input', async () => {
    const run = await completed()
    const result = await forked(run.id, {
      from_step: 1,
      input: 'bye',
      outputs: { '0': 'A better plan.' },
      tags: { why: 'try' },
    })
    assert.equal(result.output, 'echo: echo: A better plan.')
    assert.deepEqual([result.input, result.tags], ['bye', { why: 'try' }])
    const [given, executed] = result.steps
    assert.deepEqual(
      [given.output, given.output_given, given.reused_from, given.role],
      ['A better plan.', true, run.id, 'planner'],
    )
    assert.match(executed.input, /^bye\n\n## Output of planner \(step 0\)\n\nA better plan\.$/)
    // A fork of the fork has these steps too.
    const again = await forked(result.id, { from_step: 2 })
    assert.deepEqual(pluck(again.steps, 'output_given'), [true, false, false])
  })

  it('executes what the run froze, or the workflow as it is now', async () => {
    const run = await completed()
    const path = `/v1/workflows/${run.workflow_id}`
    await app.patch(path, { crew: [...crew.slice(0, 2), { role: 'editor', systemPrompt: 'new' }] })
    const instructions = () =>
      JSON.parse(app.models.requests.at(-1)?.body ?? '').messages[0].content
    const frozen = await forked(run.id, { from_step: 2 })
    assert.deepEqual([instructions(), frozen.workflow_version], ['edit', 1])
    const current = await forked(run.id, { from_step: 2, definition: 'current' })
    assert.deepEqual([instructions(), current.workflow_version], ['new', 2])
    await app.patch(path, { crew: crew.slice(1) })
    assert.deepEqual(codeOf(await fork(run.id, { from_step: 1, definition: 'current' })), [
      409,
      'crew_changed',
    ])
    const given = { from_step: 1, definition: 'current', outputs: { '0': 'x' } }
    assert.equal((await forked(run.id, given)).output, 'echo: x')
  })

  it('of a failed run goes on behind the step that failed, with an output for it', async () => {
    const id = await app.createWorkflow({ crew })
    app.answer = (request, response) =>
      request.messages[0]?.content === 'write' ? refuse(response) : echo(request, response)
    const run = await app.run(id, 'hello')
    assert.equal(run.status, 'failed')
    app.answer = echo
    const missing = await fork(run.id, { from_step: 2 })
    assert.deepEqual(codeOf(missing), [400, 'invalid_value'])
    assert.match(missing.body.error.message, /step 1 has no output/)
    const result = await forked(run.id, { from_step: 2, outputs: { '1': 'by hand' } })
    assert.equal(result.output, 'echo: by hand')
    assert.deepEqual(pluck(result.steps, 'reused_from'), [run.id, null, null])
    const [, step] = result.steps
    assert.deepEqual([step.role, step.output_given, step.cost_usd], ['writer', true, 0])
    assert.deepEqual(await app.get(`/v1/runs/${result.id}/steps/1/turns`), [])
  })

  it('is refused in words, and made once under an Idempotency-Key', async () => {
    const run = await completed()
    for (const [body, param] of [
      [{ from_step: 3 }, 'from_step'],
      [{ from_step: 1, outputs: { '1': 'x' } }, 'outputs.1'],
      [{ from_step: 1, outputs: { x: 'x' } }, 'outputs.x'],
    ] as const) {
      const { status, body: answer } = await fork(run.id, body)
      assert.deepEqual([status, answer.error.param], [400, param])
    }
    const key = { 'idempotency-key': 'fork' }
    const first = await fork(run.id, { from_step: 1 }, key)
    await app.forgetAnswer('fork')
    const second = await fork(run.id, { from_step: 1 }, key)
    assert.equal(second.body.data.id, first.body.data.id)
    await app.patch(`/v1/workflows/${run.workflow_id}`, { status: 'paused' })
    assert.deepEqual(codeOf(await fork(run.id, { from_step: 0 })), [409, 'workflow_paused'])
  })

  it('checks new data and given answers against their schemas', async () => {
    const object = (name: string) => ({
      type: 'object',
      properties: { [name]: { type: 'number' } },
      required: [name],
    })
    app.answer = (request, response) =>
      request.messages[0]?.content.startsWith('plan')
        ? complete(response, '{"n":1}')
        : echo(request, response)
    const id = await app.createWorkflow({
      crew: [{ ...crew[0], output_schema: object('n') }, crew[1]],
      input_schema: object('in'),
    })
    const trigger = await app.call('POST', `/v1/workflows/${id}/runs`, {
      body: { data: { in: 1 } },
    })
    const run = await app.rest(trigger.body.data.id)
    const wrong = await fork(run.id, { from_step: 0, data: { in: 'x' } })
    assert.deepEqual(codeOf(wrong), [400, 'invalid_data'])
    for (const output of ['no json', '{"n":"x"}']) {
      const refused = await fork(run.id, { from_step: 1, outputs: { '0': output } })
      assert.deepEqual(
        [...codeOf(refused), refused.body.error.param],
        [400, 'invalid_data', 'outputs.0'],
      )
    }
    const result = await forked(run.id, {
      from_step: 1,
      data: { in: 2 },
      outputs: { '0': '{"n":5}' },
    })
    assert.deepEqual(
      [result.status, result.input, result.data],
      ['completed', '{"in":2}', { in: 2 }],
    )
    assert.deepEqual(result.steps[0].output_json, { n: 5 })
  })

  it('checks new data against the schema of the definition that it executes', async () => {
    app.answer = echo
    const schema = (name: string) => ({ type: 'object', required: [name] })
    const id = await app.createWorkflow({ crew })
    const start = async (body: object) =>
      app.rest((await app.post(`/v1/workflows/${id}/runs`, body)).id)
    const change = (name: string) =>
      app.patch(`/v1/workflows/${id}`, { input_schema: schema(name) })
    const free = await start({ data: { any: 1 } })
    await change('old')
    const bound = await start({ input: 'hello', data: { old: 1 } })
    await change('new')
    const ends = async (runId: string, definition: string, data: object | null) => {
      const { status, body } = await fork(runId, { from_step: 0, definition, data })
      return status === 202 ? (await app.rest(body.data.id)).input : body.error.code
    }
    assert.equal(await ends(bound.id, 'frozen', { old: 2 }), 'hello')
    assert.equal(await ends(bound.id, 'frozen', { new: 2 }), 'invalid_data')
    assert.equal(await ends(bound.id, 'current', { new: 2 }), 'hello')
    assert.equal(await ends(bound.id, 'current', { old: 2 }), 'invalid_data')
    // Its input is its data as text, which new data replaces.
    assert.equal(await ends(free.id, 'frozen', { other: 2 }), '{"other":2}')
    assert.equal(await ends(free.id, 'frozen', null), '{"any":1}')
    assert.equal(await ends(free.id, 'current', { other: 2 }), 'invalid_data')
  })
})

describe('a fork of a run with actions', () => {
  const clerk = clerkFixture()

  it('asks again before each, and never makes one that the run has made', async () => {
    const run = await clerk.start([write('hello')])
    const done = await clerk.answered(run.id, { action: 'approve' })
    assert.equal(done.status, 'completed')
    assert.equal(clerk.sink.calls.length, 1)
    const preview = await clerk.app.post(`/v1/runs/${run.id}/fork/preview`, { from_step: 0 })
    const { id, ...action } = preview.actions[0]
    assert.equal(id, run.steps[0].tool_calls[0].id)
    assert.deepEqual(action, {
      step_order: 0,
      role: 'clerk',
      tool: 'sink.write',
      input: { text: 'hello' },
      status: 'succeeded',
      outcome: 'asks_again',
    })
    await clerk.app.patch('/v1/policies', {
      rules: [{ action: 'sink.write', when: 'args.text == "hello"', decision: 'allow' }],
    })
    const allowed = await clerk.app.post(`/v1/runs/${run.id}/fork/preview`, { from_step: 0 })
    assert.equal(allowed.actions[0].outcome, 'done_again')
    await clerk.app.patch('/v1/policies', { rules: [] })
    assert.deepEqual([preview.executed_steps, preview.workflow_version], [['clerk'], 1])
    const answer = await clerk.app.post(`/v1/runs/${run.id}/fork`, { from_step: 0 })
    const again = await clerk.app.rest(answer.id)
    assert.deepEqual([again.status, again.pending.kind], ['waiting_input', 'approval'])
    assert.notEqual(again.pending.call_id, id)
    assert.equal(clerk.sink.calls.length, 1, 'nothing was done a second time')
    // A waiting run can be forked too, and keeps waiting.
    clerk.app.answer = actOnce()
    const third = await clerk.app.post(`/v1/runs/${again.id}/fork`, { from_step: 0 })
    assert.ok(third.id !== again.id)
    assert.equal((await clerk.app.get(`/v1/runs/${again.id}`)).status, 'waiting_input')
  })

  it('behind the step with the action does not even list it', async () => {
    const fields = { crew: [{ role: 'clerk', systemPrompt: 'a', agentId: clerk.agentId }, crew[1]] }
    const run = await clerk.start([write('once')], { enabled: true }, fields)
    await clerk.answered(run.id, { action: 'approve' })
    const calls = clerk.sink.calls.length
    clerk.app.answer = echo
    const path = `/v1/runs/${run.id}/fork`
    assert.deepEqual((await clerk.app.post(`${path}/preview`, { from_step: 1 })).actions, [])
    const result = await clerk.app.rest((await clerk.app.post(path, { from_step: 1 })).id)
    assert.equal(result.status, 'completed')
    assert.equal(clerk.sink.calls.length, calls)
  })
})

describe('comparing runs', () => {
  it('shows outputs word by word, and what each used', async () => {
    const run = await completed()
    const other = await forked(run.id, { from_step: 1, outputs: { '0': 'echo: goodbye' } })
    const { before, after, input, output, steps } = await app.get(
      `/v1/runs/${run.id}/compare/${other.id}`,
    )
    assert.deepEqual([before.id, after.id, input], [run.id, other.id, null])
    assert.deepEqual(output.slice(-2), [
      { kind: 'removed', text: 'hello' },
      { kind: 'added', text: 'goodbye' },
    ])
    assert.equal(before.cost_usd, run.cost_usd)
    assert.ok(after.tokens_in < before.tokens_in)
    assert.deepEqual(pluck(steps, 'order'), [0, 1, 2])
    assert.equal(steps[0].after.output_given, true)
    const strange = await app.call('GET', `/v1/runs/${run.id}/compare/run_x`)
    assert.equal(strange.status, 404)
  })
})

describe('a failed run', () => {
  it('says since which version its workflow fails', async () => {
    app.answer = echo
    const id = await app.createWorkflow({ crew })
    const good = await app.run(id, 'x')
    assert.equal(good.failing_since, null)
    await app.patch(`/v1/workflows/${id}`, { crew: crew.slice(0, 2) })
    app.answer = (_, response) => refuse(response)
    for (const _ of [1, 2]) {
      const run = await app.run(id, 'x')
      assert.deepEqual(run.failing_since, {
        version: 2,
        last_worked_version: 1,
        last_worked_run_id: good.id,
        diff: `/v1/workflows/${id}/versions/1/diff?to=2`,
      })
    }
    const { changes } = await app.get(`/v1/workflows/${id}/versions/1/diff?to=2`)
    assert.deepEqual(pluck(changes, 'field'), ['crew[2]'])
  })
})
