import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { actOnce, ask, clerkFixture, read, write, type ToolCall } from '../../test/clerk.ts'
import { passTime } from '../../test/pass-time.ts'
import { pluck } from '../../test/pluck.ts'
import { codeOf } from '../../test/api-client.ts'
import {
  callTools,
  complete,
  echo,
  startTestApp,
  toolResults,
  type ChatRequest,
} from '../../test/test-app.ts'
import { until } from '../../rig/until.ts'
import { startWebhookReceiver } from '../../rig/webhook-receiver.ts'

const clerk = clerkFixture({ intervals: { expiryMs: 50 } })
const { app, sink, createWorkflow, start, respond, answered } = clerk
beforeEach(() => {
  sink.calls.length = 0
  sink.onCall = undefined
  app.answer = echo
})

const inputs = () => pluck(sink.calls, 'input')
const unattended = { enabled: false, approvals: 'never' }

describe('an approval', () => {
  it('waits with the exact arguments, and the action is done once it is approved', async () => {
    const waiting = await start([write('hello')])
    const { id } = waiting
    assert.equal(waiting.status, 'waiting_input')
    assert.deepEqual(sink.calls, [])
    const { id: pendingId, created_at, call_id, tool_version, ...pending } = waiting.pending
    assert.match(pendingId, /^pnd_/)
    assert.match(created_at, /^\d{4}-.*Z$/)
    assert.match(tool_version, /^[0-9a-f]{32}$/)
    assert.deepEqual(pending, {
      kind: 'approval',
      prompt: 'clerk asks to run sink.write (text: hello).',
      tool: 'sink.write',
      tool_input: { text: 'hello' },
      step_order: 0,
      role: 'clerk',
      approvers: { users: [], roles: ['approver', 'member', 'admin'] },
      approvals: { required: 1, given: 0, by: [] },
      expires_at: null,
    })
    assert.equal(waiting.steps[0].tool_calls[0].status, 'proposed')

    const approved = await respond(id, { action: 'approve', pending_id: pendingId })
    assert.deepEqual([approved.status, approved.body.data], [202, { id, status: 'running' }])
    const run = await app.rest(id)
    assert.equal(run.status, 'completed')
    assert.equal(run.output, 'done: written: hello')
    assert.equal(run.pending, null)
    assert.deepEqual(pluck(sink.calls, 'input', 'idempotencyKey'), [[{ text: 'hello' }, call_id]])
    const [call] = run.steps[0].tool_calls
    assert.equal(call.status, 'succeeded')
    assert.equal(call.decision, 'approved')
    assert.match(call.decided_by, /^key_/)
    const decider = { type: 'key', id: call.decided_by, name: 'first admin key' }
    assert.deepEqual(call.decider, decider)
    assert.ok(call.decided_at <= call.started_at && call.started_at <= call.finished_at)
    assert.deepEqual([run.tokens_in, run.tokens_out], [20, 10])
    assert.deepEqual([run.steps[0].tokens_in, run.steps[0].tokens_out], [20, 10])
    const events = await app.events(id)
    const ended = events.find((one) => one.type === 'step.completed')
    assert.equal(ended?.data.tokens_in, 20, 'both turns count')
    assert.deepEqual(pluck(events, 'type'), [
      'run.queued',
      'run.started',
      'step.started',
      'run.waiting_input',
      'run.resumed',
      'tool.started',
      'tool.completed',
      'step.completed',
      'run.completed',
    ])
  })

  it('takes edited arguments that fit, and records both', async () => {
    const { id } = await start([write('hello')])
    const wrong = await respond(id, { action: 'approve', tool_input: { text: 5 } })
    assert.deepEqual(codeOf(wrong), [400, 'invalid_arguments'])
    assert.match(wrong.body.error.message, /text must be string/)
    assert.equal((await respond(id, { action: 'reject', tool_input: { text: 'x' } })).status, 400)
    const run = await answered(id, { action: 'approve', tool_input: { text: 'better' } })
    assert.deepEqual(inputs(), [{ text: 'better' }])
    const [call] = run.steps[0].tool_calls
    assert.equal(call.decision, 'edited')
    assert.deepEqual(call.input, { text: 'better' })
    assert.deepEqual(call.proposed_input, { text: 'hello' })
    assert.match(run.output, /A person changed the arguments to \{"text":"better"\}/)
  })

  it('pauses again in a later step', async () => {
    const entry = { role: 'clerk', systemPrompt: 'act', agentId: clerk.agentId }
    const { id, pending } = await start([write('x')], { enabled: true }, { crew: [entry, entry] })
    assert.equal(pending.step_order, 0)
    assert.equal((await answered(id, { action: 'approve' })).pending.step_order, 1)
    assert.equal((await answered(id, { action: 'approve' })).status, 'completed')
    assert.equal(sink.calls.length, 2)
  })

  it('is refused by itself where human-in-the-loop is off, and done where approvals are never asked', async () => {
    const off = await start([write('x'), { ...read, id: 'r' }], { enabled: false })
    assert.equal(off.status, 'completed')
    const message = 'step 1 (clerk): sink.write was refused and not done'
    assert.deepEqual(off.warnings, [{ code: 'action_refused', message, step_order: 0 }])
    assert.match(off.output, /^done: This action was refused and not done.* \| nothing$/)
    const [call] = off.steps[0].tool_calls
    assert.deepEqual([call.status, call.decision, call.decided_by], ['rejected', 'refused', null])
    assert.ok(sink.calls.every(({ tool }) => tool === 'read'))
    const run = await app.run(await createWorkflow(unattended))
    assert.equal(run.output, 'done: written: x | nothing')
  })

  it('that is repeated after a lost answer does not approve the next action', async () => {
    const { id } = await start([write('harmless', 'a'), write('delete all', 'b')])
    const approve = () =>
      app.call('POST', `/v1/runs/${id}/respond`, {
        body: { action: 'approve' },
        headers: { 'idempotency-key': 'once' },
      })
    assert.equal((await approve()).status, 202)
    const second = await app.rest(id)
    assert.deepEqual(second.pending.tool_input, { text: 'delete all' })
    // Stands for a connection that broke at the commit, so that the client got a 503.
    await app.forgetAnswer('once')
    const repeated = await approve()
    assert.deepEqual([repeated.status, repeated.body.data], [202, { id, status: 'running' }])
    assert.equal((await app.rest(id)).pending.id, second.pending.id)
    assert.deepEqual(inputs(), [{ text: 'harmless' }])
  })

  it('counts once under 100 concurrent answers', async () => {
    const { id, pending } = await start([write('x')])
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => respond(id, { action: 'approve', pending_id: pending.id })),
    )
    const statuses = pluck(answers, 'status').toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [202, ...Array<number>(99).fill(409)])
    assert.equal((await app.rest(id)).status, 'completed')
    assert.equal(sink.calls.length, 1)
  })
})

describe('a question', () => {
  it('is asked, answered and passed to the agent', async () => {
    const { id, pending } = await start([ask('Which colour?')])
    assert.deepEqual(
      [pending.kind, pending.prompt, pending.tool],
      ['input', 'Which colour?', undefined],
    )
    for (const action of ['approve', 'reject']) {
      const wrong = await respond(id, { action })
      assert.deepEqual(codeOf(wrong), [400, 'action_mismatch'])
    }
    const missing = await respond(id, { action: 'input' })
    assert.deepEqual([missing.status, missing.body.error.param], [400, 'input'])
    assert.equal((await respond(id, { action: 'input', input: 'blue' })).status, 202)
    const run = await app.rest(id)
    assert.equal(run.output, 'done: blue')
    assert.equal(run.steps[0].tool_calls[0].decision, 'answered')
    const late = await respond(id, { action: 'input', input: 'red' })
    assert.deepEqual(codeOf(late), [409, 'run_not_waiting'])
  })

  it('is no tool where the workflow does not allow it', async () => {
    const names: string[][] = []
    app.answer = (request, response) => {
      names.push((request.tools ?? []).map((tool) => tool.function.name))
      complete(response, 'done')
    }
    const crew = [{ role: 'a', systemPrompt: 'a' }]
    for (const hitl of [
      { enabled: false },
      { enabled: true, allow_input: false },
      { enabled: true },
    ]) {
      await app.run(await createWorkflow(hitl, { crew, memory_enabled: false }))
    }
    assert.deepEqual(names, [[], [], ['request_input']])
  })
})

describe('what a model asks for wrongly', () => {
  it('is answered to it as an error, and nothing is called', async () => {
    const many = Array.from({ length: 33 }, (_, n) => ({ ...read, id: `n${n}` }))
    const turns: [ToolCall[], RegExp][] = [
      [[{ name: 'sink__delete', arguments: {} }], /there is no tool sink__delete/],
      ...(
        [
          ['{"text":12345678901234567890', /no JSON object/],
          [{ text: 1 }, /text must be string/],
          [{ text: 'a\u0000b' }, /NUL/],
          [{ text: 'x'.repeat(40_000) }, /at most 32768/],
          [
            '{"text":"x","id":12345678901234567890}',
            /12345678901234567890 is too large to be kept/,
          ],
          ['{"text":"x","ids":[-1e400]}', /-1e400 is too large/],
        ] as const
      ).map(([given, why]): [ToolCall[], RegExp] => [
        [{ name: 'sink__write', arguments: given }],
        why,
      ]),
      [many, /a turn may ask for 32 calls/],
    ]
    const seen: string[][] = []
    app.answer = (request, response) => {
      const turn = request.messages.filter(({ role }) => role === 'assistant').length
      if (turn > 0) seen.push(toolResults(request))
      const [calls] = turns[turn] ?? []
      if (calls === undefined) complete(response, 'done')
      else callTools(response, calls)
    }
    assert.equal((await app.run(await createWorkflow())).status, 'completed')
    assert.deepEqual(pluck(seen, 'length'), [...Array<number>(7).fill(1), 33])
    for (const [turn, [, why]] of turns.entries()) assert.match(seen[turn]?.at(-1) ?? '', why)
    assert.deepEqual(pluck(sink.calls, 'tool'), Array(32).fill('read'))
  })

  it('keeps calls apart whose ids are missing or repeated', async () => {
    let last: ChatRequest | undefined
    app.answer = (request, response) => {
      last = request
      const turn = request.messages.filter(({ role }) => role === 'assistant').length
      const same = { ...read, id: 'same' }
      if (turn < 2) callTools(response, [same, same])
      else complete(response, 'done')
    }
    const run = await app.run(await createWorkflow())
    assert.equal(run.status, 'completed')
    const ids = last?.messages.flatMap(({ tool_call_id: id }) => id ?? []) ?? []
    assert.equal(new Set(ids).size, 4)
    const asked = last?.messages.flatMap(
      ({ tool_calls: calls }) => calls?.map(({ id }) => id) ?? [],
    )
    assert.deepEqual(asked, ids)
  })
})

describe('limits', () => {
  it('end a crew that loops, before its last turn acts', async () => {
    app.answer = (_request, response) => callTools(response, [read])
    const limits = { max_turns_per_step: 3 }
    const run = await app.run(await createWorkflow({ enabled: true }, { limits }))
    assert.deepEqual([run.status, run.error_code], ['failed', 'budget_exceeded'])
    assert.match(run.error, /step 1 \(clerk\): limits.max_turns_per_step of 3/)
    assert.deepEqual([sink.calls.length, run.tokens_in], [2, 30])
  })

  it('end a run that costs too much before it acts', async () => {
    app.answer = (_request, response) => callTools(response, [read])
    const limits = { max_cost_usd: 0.00003 }
    const run = await app.run(await createWorkflow({ enabled: true }, { limits }))
    assert.deepEqual([run.error_code, run.cost_usd], ['budget_exceeded', 0.00004])
    assert.equal(sink.calls.length, 1)
  })

  it('do not count the time of a wait', async () => {
    const limits = { max_run_seconds: 5 }
    const { id } = await start([write('x')], { enabled: true }, { limits })
    await passTime(app.database, '1 hour')
    assert.equal((await answered(id, { action: 'approve' })).status, 'completed')
  })
})

describe('a wait', () => {
  it('is told to webhooks with the exact arguments', async () => {
    await using receiver = await startWebhookReceiver()
    app.answer = actOnce(write('hello'))
    const workflowId = await createWorkflow({ enabled: true, timeout_seconds: 60 })
    const body = { url: receiver.url, events: ['run.waiting_input'], workflow_id: workflowId }
    const webhook = await app.post('/v1/webhooks', body)
    const id = await app.trigger(workflowId)
    const { pending } = await app.rest(id)
    await receiver.until(() => receiver.received.length > 0)
    const { type, data } = receiver.received[0]?.body ?? {}
    assert.deepEqual([type, data.id, data.status], ['run.waiting_input', id, 'waiting_input'])
    assert.deepEqual(data.pending, pending)
    await app.call('DELETE', `/v1/webhooks/${webhook.id}`)
    await respond(id, { action: 'reject' })
  })

  it('ends the run when its time is over', async () => {
    const { id, pending } = await start([write('x', 'c1'), write('y', 'c2')], {
      enabled: true,
      timeout_seconds: 60,
    })
    assert.equal(Date.parse(pending.expires_at) - Date.parse(pending.created_at), 60_000)
    await expire(id)
    const run = await app.rest(id)
    assert.equal(run.error_code, 'wait_expired')
    assert.match(run.error, /step 1 \(clerk\): nobody answered within 60 s/)
    for (const call of run.steps[0].tool_calls) {
      assert.deepEqual([call.status, call.decision, call.decided_by], ['rejected', 'expired', null])
    }
    assert.equal((await respond(id, { action: 'approve' })).status, 409)
    assert.deepEqual(sink.calls, [])
  })

  it('takes no answer once its time is over, though no worker has ended it yet', async () => {
    await using late = await startTestApp({
      intervals: { expiryMs: 3_600_000 },
      answer: actOnce(ask('?')),
    })
    const human_in_the_loop = { enabled: true, timeout_seconds: 60 }
    const { id, pending } = await late.run(await late.createWorkflow({ human_in_the_loop }))
    await passTime(late.database, '60 s')
    const body = { action: 'input', input: 'yes', pending_id: pending.id }
    const refused = await late.call('POST', `/v1/runs/${id}/respond`, { body })
    assert.deepEqual(codeOf(refused), [409, 'run_not_waiting'])
    assert.equal((await late.rest(id)).pending.id, pending.id)
  })

  it('goes on as if refused where the workflow says so', async () => {
    const hitl = { enabled: true, timeout_seconds: 60, on_timeout: 'reject' }
    const { id } = await start([write('x')], hitl)
    await expire(id)
    const run = await app.rest(id)
    assert.match(run.output, /Nobody answered in time. This action was not done/)
    assert.equal(run.steps[0].tool_calls[0].decision, 'expired')
    const question = await start([ask('?')], hitl)
    await expire(question.id)
    assert.match((await app.rest(question.id)).output, /Go on without an answer/)
  })

  it('ends with the run when that is cancelled', async () => {
    const { id } = await start([write('x', 'c1'), write('y', 'c2')])
    // Puts the call back to what a worker finds that has not seen the approval yet.
    await app.sql`
      update tool_calls set status = 'approved', decision = 'approved', decided_at = now()
      where run_id = ${id} and provider_call_id = 'c2'`
    const data = await app.post(`/v1/runs/${id}/cancel`)
    for (const call of (await app.rest(id)).steps[0].tool_calls) assertNeverMade(call)
    assert.deepEqual([data.status, data.error_code, data.pending], ['failed', 'cancelled', null])
    assert.equal((await respond(id, { action: 'approve' })).status, 409)
    assert.deepEqual(sink.calls, [])
  })

  it('is listed, the oldest first', async () => {
    app.answer = actOnce(write('x'))
    const workflowId = await createWorkflow()
    const ids: string[] = []
    for (let n = 0; n < 3; n++) ids.push((await app.run(workflowId)).id)
    const all = await app.get('/v1/pending')
    for (const { run_id: id, input_preview: preview } of all) {
      const { input } = await app.get(`/v1/runs/${id}`)
      assert.equal(preview, input.replaceAll(/\s+/g, ' ').slice(0, 120).trim())
    }
    const own = all.filter((one: { workflow_id: string }) => one.workflow_id === workflowId)
    const expected = ids.map((id) => [id, 'w'])
    assert.deepEqual(pluck(own, 'run_id', 'workflow_name'), expected)
    for (const id of ids) await respond(id, { action: 'reject' })
  })

  it('takes null and "" as absent, and keeps the reason of any decision', async () => {
    const { id } = await start([write('x')])
    const empty = { input: '', pending_id: null, tool_input: null }
    const given = await respond(id, { action: 'approve', reason: 'looks right', ...empty })
    assert.equal(given.status, 202, JSON.stringify(given.body))
    assert.equal((await app.rest(id)).steps[0].tool_calls[0].decision, 'approved')
    const resumed = (await app.events(id)).find((one) => one.type === 'run.resumed')
    assert.equal(resumed?.data.reason, 'looks right')
  })
})

describe('a tool call in flight', () => {
  it('that read only is made again after its worker died', async () => {
    await using stage = await dyingWorker(read)
    const run = await app.rest(stage.id)
    assert.equal(run.output, 'done: nothing')
    assert.equal(sink.calls.length, 2)
    assert.equal(new Set(pluck(sink.calls, 'idempotencyKey')).size, 1)
  })

  it('that wrote is not: a person decides whether to repeat it', async () => {
    for (const action of ['approve', 'reject'] as const) {
      sink.calls.length = 0
      await using stage = await dyingWorker(write('x'), { enabled: true, approvals: 'sensitive' })
      const waiting = await app.rest(stage.id)
      assert.equal(waiting.status, 'waiting_input')
      assert.match(waiting.pending.prompt, /It is unknown whether sink.write \(.*\) was done/)
      assert.equal(waiting.steps[0].tool_calls[0].status, 'unknown')
      assert.equal(sink.calls.length, 1)
      const edit = await respond(stage.id, { action: 'approve', tool_input: { text: 'y' } })
      assert.equal(edit.status, 400)
      const run = await answered(stage.id, { action })
      const [call] = run.steps[0].tool_calls
      const isRepeated = action === 'approve'
      assert.equal(sink.calls.length, isRepeated ? 2 : 1)
      assert.equal(call.status, isRepeated ? 'succeeded' : 'unknown')
      assert.equal(run.output.includes('a person decided not to repeat it'), !isRepeated)
    }
  })

  it('that was answered by an error failed; of one that broke off everyone is told why', async () => {
    sink.onCall = (response, _answer, id) => {
      const error = { code: -32603, message: 'getaddrinfo ENOTFOUND api.example.com' }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
    }
    const failed = await start([write('x')], { enabled: true, approvals: 'never' })
    assert.match(failed.output, /done: .*getaddrinfo ENOTFOUND api\.example\.com/)
    assert.equal(failed.steps[0].tool_calls[0].status, 'failed')
    sink.onCall = (response) => response.destroy()
    const waiting = await start([write('x')], { enabled: true, approvals: 'never' })
    sink.onCall = undefined
    const why = /the connection was closed before the whole answer/
    assert.match(waiting.pending.prompt, why)
    const [open] = waiting.steps[0].tool_calls
    assert.deepEqual([open.status, open.output], ['unknown', null])
    assert.match(open.unknown_reason, why)
    const run = await answered(waiting.id, { action: 'reject' })
    assert.match(run.output, why)
  })

  it('that wrote stays unknown when its run is cancelled before a person decided', async () => {
    await using stage = await dyingWorker(write('x'), { enabled: true, approvals: 'sensitive' })
    await app.rest(stage.id)
    await app.call('POST', `/v1/runs/${stage.id}/cancel`)
    const [call] = (await app.rest(stage.id)).steps[0].tool_calls
    assert.equal(call.status, 'unknown')
    assert.match(call.output, /unknown whether this action was done/)
    assert.notEqual(call.finished_at, null)
  })

  it('that wrote is reported as unknown where nobody is asked', async () => {
    await using stage = await dyingWorker(write('x'), unattended)
    const run = await app.rest(stage.id)
    assert.match(run.output, /It is unknown whether this action was done/)
    assert.equal(sink.calls.length, 1)
  })

  it('that breaks off is unknown, and failed where it only reads', async () => {
    sink.onCall = (response) => response.destroy()
    const run = await start([write('x'), { ...read, id: 'r' }], unattended)
    const statuses = pluck(run.steps[0].tool_calls, 'status')
    assert.deepEqual(statuses, ['unknown', 'failed'], 'what only reads was surely not done')
    assert.match(run.output, /unknown whether this action was done/)
  })

  it('has no job while its run waits, and one when it was answered', async () => {
    const { held, arrived } = holdCall()
    const { id } = await start([write('x')])
    const countJobs = async () => (await app.sql`select from jobs where run_id = ${id}`).length
    assert.equal(await countJobs(), 0)
    await respond(id, { action: 'approve' })
    assert.equal(await countJobs(), 1)
    await arrived.promise
    assert.equal(await countJobs(), 1)
    held.resolve()
    assert.equal((await app.rest(id)).output, 'done: written: x')
    assert.equal(await countJobs(), 0)
    assert.equal(sink.calls.length, 1)
  })

  it('is recorded even when its run is cancelled meanwhile', async () => {
    const { held, arrived } = holdCall()
    app.answer = actOnce(write('x'))
    const id = await app.trigger(await createWorkflow(unattended))
    await arrived.promise
    await app.call('POST', `/v1/runs/${id}/cancel`)
    const status = async () => (await app.get(`/v1/runs/${id}`)).steps[0].tool_calls[0].status
    assert.equal(await status(), 'unknown')
    held.resolve()
    await until('it is recorded', 20_000, async () => (await status()) !== 'executing')
    assert.ok(['succeeded', 'unknown'].includes(await status()))
  })

  it('that nobody knows more of keeps what the end of its run said', async () => {
    const { held, arrived } = holdCall()
    const left = Promise.withResolvers<void>()
    const { onCall } = sink
    sink.onCall = (response, reply) => {
      response.once('close', () => left.resolve())
      onCall?.(response, reply)
    }
    app.answer = actOnce(write('x'))
    const id = await app.trigger(await createWorkflow(unattended))
    await arrived.promise
    await app.call('POST', `/v1/runs/${id}/cancel`)
    await left.promise
    held.resolve()
    sink.onCall = undefined
    // When this run has ended, the worker has released the first one.
    await app.run(await createWorkflow(unattended))
    const [call] = (await app.rest(id)).steps[0].tool_calls
    assert.deepEqual(
      [call.status, call.output],
      ['unknown', 'The run ended while this call was in flight.'],
    )
  })

  /** A run whose worker seems to die: its call has arrived, and its lease expires. */
  async function dyingWorker(
    call: ToolCall,
    hitl: Record<string, unknown> = { enabled: true },
  ): Promise<AsyncDisposable & { id: string }> {
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    let isFirst = true
    sink.onCall = (response, reply) => {
      if (!isFirst) return reply()
      isFirst = false
      arrived.resolve()
      void released.promise.then(() => response.destroy())
    }
    app.answer = actOnce(call)
    const id = await app.trigger(await createWorkflow({ approvals: 'never', ...hitl }))
    if (hitl['approvals'] === 'sensitive') {
      await app.rest(id)
      await respond(id, { action: 'approve' })
    }
    await arrived.promise
    // Stands for a killed worker: the run has another attempt number, and the lease has expired.
    await app.sql`update runs set attempt = attempt + 1 where id = ${id}`
    const attempt = await attemptOf(id)
    await app.sql`update jobs set worker = null, lease_until = null where run_id = ${id}`
    await until('it is taken anew', 20_000, async () => (await attemptOf(id)) !== attempt)
    return { id, [Symbol.asyncDispose]: async () => released.resolve() }
  }
})

function assertNeverMade(call: Record<string, unknown>): void {
  assert.equal(call['status'], 'rejected')
  assert.equal(call['output'], 'The run ended before this call was made; it was not done.')
  assert.deepEqual([call['decided_by'], call['started_at']], [null, null])
  assert.notEqual(call['finished_at'], null)
}

/** Holds the answer to the next call of the sink until `held` is resolved. */
function holdCall(): Record<'held' | 'arrived', PromiseWithResolvers<void>> {
  const held = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  sink.onCall = (_response, reply) => {
    arrived.resolve()
    void held.promise.then(reply)
  }
  return { held, arrived }
}

const attemptOf = async (id: string): Promise<number> =>
  (await app.row`select attempt from runs where id = ${id}`).attempt

/** Lets a wait run out, and waits until a worker has noticed. */
async function expire(id: string): Promise<void> {
  const { pending } = await app.get(`/v1/runs/${id}`)
  await passTime(app.database, '1 hour')
  await until('the wait is over', 20_000, async () => {
    return (await app.get(`/v1/runs/${id}`)).pending?.id !== pending.id
  })
}
