import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { codeOf, type Answer } from '../../test/api-client.ts'
import { complete, echo, startTestApp, type ModelAnswer } from '../../test/test-app.ts'
import { send } from '../../rig/scripted-server.ts'
import { until } from '../../rig/until.ts'
import { askWhileLocked, countBlocked } from '../db/test-locks.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() => startTestApp())

const crew = [
  { role: 'planner', systemPrompt: 'plan' },
  { role: 'writer', systemPrompt: 'write' },
]

const createWorkflow = async (fields: object = {}): Promise<string> =>
  await app.createWorkflow({ crew, ...fields })

/**
 * Repeats a request under its Idempotency-Key after a process that died without storing the answer.
 */
async function postAfterCrash(path: string, key: string, body?: unknown): Promise<Answer> {
  await app.forgetAnswer(key)
  return app.call('POST', path, { body, headers: { 'idempotency-key': key } })
}

/** Waits until the model server holds a call. */
const modelIsCalled = () => app.models.until(() => app.models.active > 0)

describe('a run', () => {
  it('is answered as queued, carries the input through the crew and completes', async () => {
    app.answer = echo
    const workflowId = await createWorkflow()
    const { status, body } = await app.call('POST', `/v1/workflows/${workflowId}/runs`, {
      body: { input: 'hello' },
    })
    assert.equal(status, 202)
    const { id, created_at, triggered_by: by, ...queued } = body.data
    assert.match(by.id, /^key_/)
    assert.deepEqual(by, { type: 'key', id: by.id, name: 'first admin key' })
    assert.match(id, /^run_[0-9a-z]{26}$/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(queued, {
      workflow_id: workflowId,
      workflow_version: null,
      status: 'queued',
      input: 'hello',
      data: null,
      output: null,
      output_json: null,
      error: null,
      error_code: null,
      total_steps: 0,
      tokens_in: 0,
      tokens_out: 0,
      cost_usd: 0,
      tokens_cached: 0,
      tokens_cache_written: 0,
      tokens_reasoning: 0,
      calls_without_usage: 0,
      calls_without_price: 0,
      retry_of: null,
      forked_from: null,
      thread_id: null,
      turn: null,
      tags: {},
      warnings: [],
      pending: null,
      started_at: null,
      finished_at: null,
    })

    const run = await app.rest(id)
    assert.equal(run.status, 'completed')
    assert.equal(run.output, 'echo: echo: hello')
    assert.equal(run.total_steps, 2)
    assert.equal(run.tokens_in, 20)
    assert.equal(run.tokens_out, 10)
    assert.equal(run.cost_usd, 0.00004)
    assert.ok(run.started_at >= created_at && run.finished_at >= run.started_at)
    const [first, second] = run.steps
    assert.equal(run.steps.length, 2)
    assert.deepEqual([first.order, first.role, first.input], [0, 'planner', 'hello'])
    assert.equal(second.input, 'hello\n\n## Output of planner (step 0)\n\necho: hello')
    assert.deepEqual([second.tokens_in, second.tokens_out, second.cost_usd], [10, 5, 0.00002])
    assert.equal(second.output, run.output)
  })

  it('sends each agent its own instructions and model', async () => {
    app.answer = echo
    const seen = app.models.requests.length
    await app.run(await createWorkflow(), 'unique words')
    const requests = app.models.requests.slice(seen).map(({ body }) => JSON.parse(body))
    assert.deepEqual(
      requests.map(({ model, messages }) => [model, messages[0].role, messages[0].content]),
      [
        ['echo', 'system', 'plan'],
        ['echo', 'system', 'write'],
      ],
    )
  })

  it('shows its step in progress while it runs', async () => {
    const held = Promise.withResolvers<void>()
    app.answer = (_request, response) => void held.promise.then(() => complete(response, 'done'))
    const id = await app.trigger(await createWorkflow())
    await modelIsCalled()
    const data = await app.get(`/v1/runs/${id}`)
    assert.equal(data.status, 'running')
    assert.equal(data.total_steps, 0)
    assert.equal(data.steps.length, 1)
    assert.equal(data.steps[0].output, null)
    assert.equal(data.steps[0].finished_at, null)
    assert.notEqual(data.steps[0].started_at, null)
    held.resolve()
    assert.equal((await app.rest(id)).status, 'completed')
  })

  it('freezes its definition when execution begins', async () => {
    const held = Promise.withResolvers<void>()
    app.answer = (request, response) => void held.promise.then(() => echo(request, response))
    const workflowId = await createWorkflow()
    const id = await app.trigger(workflowId)
    await modelIsCalled()
    const changed = { crew: [{ role: 'other', systemPrompt: 'other' }] }
    await app.call('PATCH', `/v1/workflows/${workflowId}`, { body: changed })
    held.resolve()
    const run = await app.rest(id)
    assert.deepEqual(pluck(run.steps, 'role'), ['planner', 'writer'])
    const next = await app.run(workflowId)
    assert.deepEqual(pluck(next.steps, 'role'), ['other'])
  })

  it('fails with the name of the step and the words of the provider', async () => {
    app.answer = (request, response) =>
      request.messages[0]?.content === 'write'
        ? send(response, { error: { message: 'too rude', type: 'invalid_request_error' } }, 400)
        : echo(request, response)
    const run = await app.run(await createWorkflow())
    assert.equal(run.status, 'failed')
    assert.equal(run.error_code, 'step_failed')
    assert.match(run.error, /^step 2 \(writer\): .*too rude/)
    assert.equal(run.output, null)
    assert.equal(run.total_steps, 2)
    assert.equal(run.steps[1].output, null)
    assert.match(run.steps[1].error, /too rude/)
    assert.notEqual(run.finished_at, null)
  })

  it('stores a NUL and an unpaired surrogate of a model as replacement characters', async () => {
    app.answer = (_request, response) => complete(response, 'a\0b\ud800c')
    const run = await app.run(await createWorkflow())
    assert.equal(run.output, 'a\ufffdb\ufffdc')
  })

  it('takes 16,000 characters of any script', async () => {
    app.answer = (_request, response) => complete(response, 'ok')
    const input = '漢'.repeat(15_999) + '🙂'
    const run = await app.run(await createWorkflow(), input)
    assert.equal(run.status, 'completed')
    assert.equal(run.input, input)
  })
})

describe('a failing provider', () => {
  it('is tried again after a 429, an empty answer and a 500, and every token is counted', async () => {
    const start = app.models.requests.length
    app.answer = (request, response, call) => {
      switch (call - start) {
        case 1:
          return send(response, { error: { message: 'slow down' } }, 429, { 'retry-after': '0' })
        case 2:
          return complete(response, '', 7, 3)
        case 3:
          return send(response, { error: { message: 'oops' } }, 500)
        default:
          return echo(request, response)
      }
    }
    const run = await app.run(await createWorkflow())
    assert.equal(run.status, 'completed')
    assert.equal(app.models.requests.length - start, 5)
    assert.deepEqual([run.steps[0].tokens_in, run.steps[0].tokens_out], [17, 8])
    assert.deepEqual([run.tokens_in, run.tokens_out], [27, 13])
  })

  it('that asks for a long pause gets it, without holding a slot', async () => {
    let calls = 0
    app.answer = (request, response) => {
      calls++
      if (calls > 1) return echo(request, response)
      send(response, { error: { message: 'later' } }, 429, { 'retry-after': '60' })
    }
    const id = await app.trigger(await createWorkflow())
    const released = () => app.sql`
      update jobs set ready_at = now()
      where run_id = ${id} and worker is null and ready_at > now() + interval '40 seconds'
      returning run_id`
    await until('its job waits for that time', 20_000, async () => (await released()).length > 0)
    const run = await app.rest(id)
    assert.deepEqual([run.status, run.total_steps, calls], ['completed', 2, 3])
    const row = await app.row`select attempt, takes_without_progress from runs where id = ${id}`
    assert.deepEqual(row, { attempt: 2, takes_without_progress: 0 })
  })

  it('that never recovers fails the run after its tries', async () => {
    const start = app.models.requests.length
    app.answer = (_request, response) => complete(response, '')
    const run = await app.run(await createWorkflow())
    assert.equal(run.status, 'failed')
    assert.match(run.error, /^step 1 \(planner\): .*\(after 3 tries\)$/)
    assert.equal(app.models.requests.length - start, 3)
    assert.deepEqual([run.tokens_in, run.tokens_out], [30, 15])
  })
})

describe('limits of a run', () => {
  it('end it when it has cost too much, and keep the step that did', async () => {
    app.answer = (_request, response) => complete(response, 'dear', 2_000_000, 0)
    const workflowId = await createWorkflow({ limits: { max_cost_usd: 1.5 } })
    const run = await app.run(workflowId)
    assert.equal(run.status, 'failed')
    assert.equal(run.error_code, 'budget_exceeded')
    assert.equal(
      run.error,
      'step 1 (planner): limits.max_cost_usd of 1.5 is exceeded, the run has cost 2',
    )
    assert.equal(run.cost_usd, 2)
    assert.equal(run.steps[0].output, 'dear')
    assert.equal(run.steps.length, 1)
  })

  it('let it cost as much as they say', async () => {
    app.answer = (request, response) =>
      complete(response, 'ok', request.messages[0]?.content === 'plan' ? 100_000 : 200_000, 0)
    const workflowId = await createWorkflow({ limits: { max_cost_usd: 0.3 } })
    const run = await app.run(workflowId)
    assert.deepEqual([run.status, run.error, run.cost_usd], ['completed', null, 0.3])
  })

  it('end it when it takes too long, and abort the model call', async () => {
    app.answer = () => {}
    const cutBefore = app.models.cut
    const workflowId = await createWorkflow({ limits: { max_run_seconds: 1 } })
    const run = await app.run(workflowId)
    assert.equal(run.error_code, 'budget_exceeded')
    assert.equal(run.error, 'step 1 (planner): limits.max_run_seconds of 1 is exceeded')
    await app.models.until(() => app.models.cut > cutBefore)
  })
})

describe('cancelling', () => {
  it('ends a run in progress, marks its step and aborts the model call', async () => {
    app.answer = () => {}
    const cutBefore = app.models.cut
    const id = await app.trigger(await createWorkflow())
    await modelIsCalled()
    const { status, body } = await app.call('POST', `/v1/runs/${id}/cancel`)
    assert.equal(status, 200)
    assert.equal(body.data.status, 'failed')
    assert.equal(body.data.error_code, 'cancelled')
    assert.equal(body.data.error, 'step 1 (planner): cancelled by request')
    await app.models.until(() => app.models.cut > cutBefore)
    const run = await app.rest(id)
    assert.equal(run.steps[0].error, 'cancelled by request')
    assert.notEqual(run.steps[0].finished_at, null)
    const again = await app.call('POST', `/v1/runs/${id}/cancel`)
    assert.deepEqual({ ...again.body.data, calls_without_usage: 0 }, body.data)
  })

  it('counts the model call that was under way, which is billed all the same', async () => {
    const read = async (id: string) => await app.get(`/v1/runs/${id}`)
    const countedTo = async () => {
      const [{ cost_usd, tokens_in, steps, cancelled }] = await app.get('/v1/usage?group_by=day')
      return { cost_usd, tokens_in, steps, cancelled }
    }
    app.answer = () => {}
    const cut = await app.trigger(await createWorkflow())
    await modelIsCalled()
    await app.call('POST', `/v1/runs/${cut}/cancel`)
    await until('it is counted', 10_000, async () => (await read(cut)).calls_without_usage === 1)

    // In this case the answer arrives just after the cancellation.
    const before = await countedTo()
    const held = Promise.withResolvers<ServerResponse>()
    app.answer = (_, response) => held.resolve(response)
    const id = await app.trigger(await createWorkflow())
    const response = await held.promise
    const rows = await app.sql<{ account: string }>`
      select account_id as account from runs where id = ${id}`
    const { cancelled } = await app.database.transaction().execute(async (transaction) => {
      await sql`
        select 1 from runs
        where account_id = ${rows[0]?.account} and id = ${id} for update`.execute(transaction)
      const asked = app.call('POST', `/v1/runs/${id}/cancel`)
      const areBlocked = (count: number) => async () => (await countBlocked(app.database)) >= count
      await until('the cancellation waits', 20_000, areBlocked(1))
      complete(response, 'late', 10_000, 5_000)
      await until('the step waits', 20_000, areBlocked(2))
      // Waits for the call of the next step, which starts before this step is written.
      await modelIsCalled()
      return { cancelled: asked }
    })
    assert.equal((await cancelled).body.data.error_code, 'cancelled')
    await until('it is counted', 10_000, async () => (await read(id)).cost_usd > 0)
    const run = await read(id)
    assert.deepEqual([run.status, run.output, run.cost_usd], ['failed', null, 0.02])
    assert.deepEqual([run.steps[0].tokens_in, run.steps[0].tokens_out], [10_000, 5_000])
    assert.deepEqual([run.calls_without_usage, run.steps[0].calls_without_usage], [1, 1])
    const dear = await app.get(`/v1/runs?min_cost_usd=0.01&workflow_id=${run.workflow_id}`)
    assert.deepEqual(pluck(dear, 'id'), [id])
    const after = await countedTo()
    assert.deepEqual(after, {
      cost_usd: Number((before.cost_usd + 0.02).toFixed(10)),
      tokens_in: before.tokens_in + 10_000,
      steps: before.steps + 1,
      cancelled: before.cancelled + 1,
    })
  })

  it('ends a run that is in the queue, which never began', async () => {
    await using idle = await startTestApp({ role: 'api' })
    const workflow = await idle.call('POST', '/v1/workflows', { body: { name: 'w', crew } })
    const path = `/v1/workflows/${workflow.body.data.id}/runs`
    const { id } = (await idle.call('POST', path, { body: { input: 'x' } })).body.data
    const { body } = await idle.call('POST', `/v1/runs/${id}/cancel`)
    assert.equal(body.data.error_code, 'cancelled')
    assert.equal(body.data.started_at, null, 'nothing began')
    const events = String((await idle.call('GET', `/v1/runs/${id}/events`)).body)
    assert.deepEqual(
      [...events.matchAll(/^event: (.*)$/gm)].map(([, type]) => type),
      ['run.queued', 'run.failed'],
    )
  })

  it('leaves a completed run as it is', async () => {
    app.answer = echo
    const id = await app.trigger(await createWorkflow())
    const {
      steps: _,
      held: _held,
      failing_since: _since,
      files: _files,
      waited_ms: _waited,
      ...before
    } = await app.rest(id)
    assert.deepEqual(await app.post(`/v1/runs/${id}/cancel`), before)
  })
})

/** Makes the second step fail. */
const refuseToWrite: ModelAnswer = (request, response) =>
  request.messages[0]?.content === 'write'
    ? send(response, { error: { message: 'no' } }, 400)
    : echo(request, response)

describe('retrying', () => {
  it('takes over the finished steps and goes on at the one that failed', async () => {
    app.answer = refuseToWrite
    const workflowId = await createWorkflow()
    const failed = await app.run(workflowId, 'tried again')
    assert.equal(failed.status, 'failed')

    app.answer = echo
    // Calls of runs that were cancelled earlier may still arrive.
    const callsOfIt = () =>
      app.models.requests.filter(({ body }) => body.includes('tried again')).length
    const before = callsOfIt()
    const { status, body } = await app.call('POST', `/v1/runs/${failed.id}/retry`)
    assert.equal(status, 202)
    assert.equal(body.data.status, 'queued')
    assert.equal(body.data.retry_of, failed.id)
    const run = await app.rest(body.data.id)
    assert.equal(run.status, 'completed')
    assert.equal(run.output, 'echo: echo: tried again')
    assert.equal(callsOfIt() - before, 1)
    assert.equal(run.total_steps, 2)
    assert.deepEqual([run.tokens_in, run.steps[0].tokens_in], [10, 0])
    assert.equal(run.steps[0].reused_from, failed.id)
    assert.equal(run.steps[0].output, 'echo: tried again')
    assert.notEqual(run.steps[0].id, failed.steps[0].id)
  })

  it('runs the last step again when it cost too much, and keeps the ones before', async () => {
    app.answer = (request, response) =>
      request.messages[0]?.content === 'write'
        ? complete(response, 'dear', 2_000_000, 0)
        : echo(request, response)
    const workflowId = await createWorkflow({ limits: { max_cost_usd: 1.5 } })
    const failed = await app.run(workflowId, 'hello')
    assert.equal(failed.error_code, 'budget_exceeded')
    assert.equal(failed.steps[1].output, 'dear')

    app.answer = echo
    const { status, body } = await app.call('POST', `/v1/runs/${failed.id}/retry`)
    assert.equal(status, 202, JSON.stringify(body))
    const run = await app.rest(body.data.id)
    assert.equal(run.status, 'completed')
    assert.deepEqual(pluck(run.steps, 'output', 'reused_from'), [
      ['echo: hello', failed.id],
      ['echo: echo: hello', null],
    ])
  })

  it('goes on behind a step that cost too much where the crew does', async () => {
    app.answer = (_request, response) => complete(response, 'dear', 2_000_000, 0)
    const workflowId = await createWorkflow({ limits: { max_cost_usd: 1.5 } })
    const failed = await app.run(workflowId)
    assert.equal(failed.steps.length, 1)
    app.answer = echo
    const run = await app.rest((await app.post(`/v1/runs/${failed.id}/retry`)).id)
    assert.deepEqual(pluck(run.steps, 'reused_from'), [failed.id, null])
  })

  it('with a draft of an agent takes the rules of the draft', async () => {
    const agentId = await app.createAgent()
    const rule = { action: '*', decision: 'block', reason: 'try it' }
    const draft = { rules: [rule], draft: true }
    const { last_version } = await app.patch(`/v1/agents/${agentId}`, draft)
    const crew = [{ role: 'a', systemPrompt: 'a', agentId }]
    const workflowId = await app.createWorkflow({ crew })
    const agent_versions = { [agentId]: last_version }
    const id = await app.trigger(workflowId, { input: 'x', agent_versions })
    const { rules } = await app.row`
      select body -> 'crew' -> 0 -> 'rules' -> 'agent' as rules
      from definitions join runs on runs.account_id = definitions.account_id and definition_hash = hash
      where runs.id = ${id}`
    assert.deepEqual(pluck(rules, 'action', 'decision', 'reason'), [['*', 'block', 'try it']])
  })

  it('again after a crash gives the run that it made, whatever became of the workflow', async () => {
    app.answer = (_request, response) => send(response, { error: { message: 'no' } }, 400)
    const workflowId = await createWorkflow()
    const failed = await app.run(workflowId)
    const ask = () => postAfterCrash(`/v1/runs/${failed.id}/retry`, 'retry')
    const { id } = (await ask()).body.data
    assert.equal((await app.rest(id)).status, 'failed')
    await app.call('PATCH', `/v1/workflows/${workflowId}`, { body: { status: 'paused' } })
    const paused = await ask()
    assert.deepEqual([paused.status, paused.body.data?.id], [202, id])
    assert.ok(!('steps' in paused.body.data))
    await app.call('DELETE', `/v1/workflows/${workflowId}`)
    const deleted = await ask()
    assert.deepEqual([deleted.status, deleted.body.data?.id], [202, id])
  })

  it('of a run that retention takes away meanwhile is refused', async () => {
    app.answer = refuseToWrite
    const workflowId = await createWorkflow()
    const { id } = await app.run(workflowId)
    const isOwn = sql`account_id = ${app.accountId}`
    const [retried] = await askWhileLocked(
      app.database,
      // A retry reads the run before it locks the workflow, so the run is deleted between the two.
      (transaction) =>
        sql`select 1 from workflows where ${isOwn} and id = ${workflowId} for update`.execute(
          transaction,
        ),
      () => [app.call('POST', `/v1/runs/${id}/retry`)],
      async (transaction) => {
        await sql`delete from steps where ${isOwn} and run_id = ${id}`.execute(transaction)
        await sql`delete from runs where ${isOwn} and id = ${id}`.execute(transaction)
      },
    )
    const { status, body } = retried as Answer
    assert.equal(status, 404, JSON.stringify(body))
    assert.equal(body.error.message, `Cannot retry run: no run ${id}`)
    assert.deepEqual(await app.get(`/v1/workflows/${workflowId}/runs`), [])
  })

  it('is refused for runs that did not fail, paused and deleted workflows, changed crews', async () => {
    app.answer = refuseToWrite
    const workflowId = await createWorkflow()
    const { id } = await app.run(workflowId)
    const refusal = async () => (await app.call('POST', `/v1/runs/${id}/retry`)).body.error
    const retry = async () => (await refusal()).code
    const patch = (body: unknown) => app.call('PATCH', `/v1/workflows/${workflowId}`, { body })

    await patch({ crew: [{ role: 'another', systemPrompt: 'x' }, crew[1]] })
    assert.equal(await retry(), 'crew_changed')
    await patch({ crew: [crew[0]] })
    assert.equal(await retry(), 'crew_changed')
    assert.equal(
      (await refusal()).message,
      'Cannot retry run: step 2, which failed, is no longer in the crew, trigger a new run',
    )
    await patch({ crew, status: 'paused' })
    assert.equal(await retry(), 'workflow_paused')
    await app.call('DELETE', `/v1/workflows/${workflowId}`)
    assert.equal(await retry(), 'workflow_deleted')

    app.answer = echo
    const completed = await app.run(await createWorkflow())
    const refused = await app.call('POST', `/v1/runs/${completed.id}/retry`)
    assert.deepEqual(codeOf(refused), [409, 'run_not_failed'])
  })
})

describe('triggering', () => {
  it('with versions of agents says so in the audit', async () => {
    const agentId = await app.createAgent()
    const crew = [{ role: 'a', systemPrompt: 'a', agentId }]
    const path = `/v1/workflows/${await app.createWorkflow({ crew })}/runs`
    const afterOf = async (body: object) => {
      const { id } = await app.post(path, { input: 'x', ...body })
      return (await app.get(`/v1/audit?object_id=${id}`))[0].after
    }
    const agent_versions = { [agentId]: 1 }
    assert.deepEqual((await afterOf({ agent_versions })).agent_versions, agent_versions)
    assert.equal('agent_versions' in (await afterOf({})), false)
  })

  it('again after a crash gives the run that it made, whatever became of the workflow', async () => {
    app.answer = echo
    const workflowId = await createWorkflow()
    const path = `/v1/workflows/${workflowId}/runs`
    const ask = () => postAfterCrash(path, 'trigger', { input: 'x' })
    const { id } = (await ask()).body.data
    await app.rest(id)
    await app.call('PATCH', `/v1/workflows/${workflowId}`, { body: { status: 'paused' } })
    const paused = await ask()
    assert.deepEqual([paused.status, paused.body.data?.id], [202, id])
    await app.call('DELETE', `/v1/workflows/${workflowId}`)
    const deleted = await ask()
    assert.deepEqual([deleted.status, deleted.body.data?.id], [202, id])
  })

  it('of many at once gives every caller its own answer', async () => {
    app.answer = echo
    const [good, paused] = [await createWorkflow(), await createWorkflow()]
    await app.call('PATCH', `/v1/workflows/${paused}`, { body: { status: 'paused' } })
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const id = [good, paused, 'wf_00000000000000000000000000'][index % 3]
        return app.call('POST', `/v1/workflows/${id}/runs`, { body: { input: `input ${index}` } })
      }),
    )
    assert.deepEqual(
      pluck(answers, 'status'),
      Array.from({ length: 60 }, (_, index) => [202, 409, 404][index % 3]),
    )
    assert.equal(answers[1]?.body.error.code, 'workflow_paused')
    assert.deepEqual(
      answers.filter(({ status }) => status === 202).map(({ body }) => body.data.input),
      Array.from({ length: 20 }, (_, index) => `input ${index * 3}`),
    )
  })
})

describe('listing', () => {
  it('gives the 50 newest without steps, pages with Link, and filters by status', async () => {
    app.answer = echo
    const workflowId = await createWorkflow()
    const ids = await Promise.all(Array.from({ length: 55 }, () => app.trigger(workflowId)))
    const last = await app.trigger(workflowId)
    await Promise.all([...ids, last].map((id) => app.rest(id)))

    const path = `/v1/workflows/${workflowId}/runs`
    const first = await app.call('GET', path)
    assert.equal(first.body.data.length, 50)
    assert.equal(first.body.data[0].id, last)
    assert.ok(!('steps' in first.body.data[0]))
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1]
    assert.ok(next !== undefined)
    const second = await app.call('GET', next)
    assert.equal(second.body.data.length, 6)
    assert.equal(second.headers.get('link'), null)
    const seen = [...first.body.data, ...second.body.data].map((run) => run.id)
    assert.deepEqual(new Set(seen), new Set([...ids, last]))

    assert.deepEqual(await app.get(`${path}?status=failed`), [])
    const three = await app.call('GET', `${path}?status=completed&limit=3`)
    assert.equal(three.body.data.length, 3)
    assert.match(three.headers.get('link') ?? '', /status=completed/)
    const unknown = await app.call('GET', `${path}?status=done`)
    assert.equal(unknown.status, 400)
  })
})

describe('listing all runs', () => {
  const list = async (query: string) => await app.get(`/v1/runs?${query}`)
  const idsOf = async (query: string): Promise<string[]> => pluck(await list(query), 'id')

  it('goes over all workflows, with filters that can be combined', async () => {
    app.answer = (request, response) => {
      if (request.messages.at(-1)?.content.includes('fail')) response.writeHead(400).end('{}')
      else echo(request, response)
    }
    const [one, two] = [await createWorkflow(), await createWorkflow()]
    const done = await app.trigger(one)
    await app.rest(done)
    const { created_at: between } = await app.get(`/v1/runs/${done}`)
    const failed = await app.trigger(two, 'fail')
    await app.rest(failed)

    assert.deepEqual(await idsOf('limit=2'), [failed, done])
    assert.deepEqual(await idsOf('limit=1&status=failed'), [failed])
    assert.deepEqual(await idsOf(`status=completed,queued&workflow_id=${one}`), [done])
    assert.deepEqual(await idsOf(`error_code=step_failed&created_after=${between}`), [failed])
    assert.deepEqual(await idsOf(`workflow_id=${two}&created_before=${between}`), [])
    assert.deepEqual(await idsOf('status=completed&error_code=step_failed'), [])
    assert.ok(!('steps' in (await list('limit=1'))[0]))
    const { headers } = await app.call('GET', '/v1/runs?limit=1')
    const next = /^<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
    assert.equal((await app.get(next))[0].id, done)
  })

  it('says what is wrong with a filter', async () => {
    for (const [query, param] of [
      ['status=done', 'status'],
      ['error_code=step_failed,', 'error_code'],
      ['created_after=yesterday', 'created_after'],
    ]) {
      const { status, body } = await app.call('GET', `/v1/runs?${query}`)
      assert.deepEqual([status, body.error.param], [400, param])
    }
  })
})

describe('deleting a workflow', () => {
  it('is refused while a run is not finished; afterwards its runs stay readable', async () => {
    const held = Promise.withResolvers<void>()
    app.answer = (request, response) => void held.promise.then(() => echo(request, response))
    const workflowId = await createWorkflow()
    const id = await app.trigger(workflowId)
    const refused = await app.call('DELETE', `/v1/workflows/${workflowId}`)
    assert.deepEqual(codeOf(refused), [409, 'workflow_in_use'])
    held.resolve()
    await app.rest(id)
    const deleted = await app.call('DELETE', `/v1/workflows/${workflowId}`)
    assert.deepEqual(deleted.body, { data: { id: workflowId, deleted: true } })
    assert.equal((await app.get(`/v1/runs/${id}`)).status, 'completed')
    assert.equal((await app.call('GET', `/v1/workflows/${workflowId}/runs`)).status, 404)
  })
})
