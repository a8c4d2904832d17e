import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { ask, clerkFixture, read, write, type ToolCall } from '../../test/clerk.ts'
import { passTime } from '../../test/pass-time.ts'
import { prepare } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { codeOf, type Person } from '../../test/api-client.ts'
import { until } from '../../rig/until.ts'
import { startWebhookReceiver } from '../../rig/webhook-receiver.ts'

/** Tests that several waiting calls of one turn are one case, decided together or one by one. */
const clerk = clerkFixture({ intervals: { expiryMs: 50 } })
const { app, sink, start, respond } = clerk
let ann: Person
let bob: Person
prepare(async () => {
  ann = await app.join('Ann', 'approver')
  bob = await app.join('Bob', 'approver')
})
beforeEach(() => {
  sink.calls.length = 0
  sink.onCall = undefined
})

const three = [write('one', 'a'), write('two', 'b'), write('three', 'c')]
const written = () =>
  sink.calls.flatMap(({ tool, input }) => (tool === 'write' ? [input['text']] : []))

/** Sorted, because calls that are sent together arrive in any order. */
const sorted = () =>
  written()
    .map(String)
    .toSorted((a, b) => a.localeCompare(b))

interface Call {
  id: string
  call_id: string
  kind: string
  tool_input: { text: string }
}
/** The calls of a case by the text that they write. */
const byText = (run: { pending: { calls: Call[] } }): Record<string, Call> =>
  Object.fromEntries(run.pending.calls.map((call) => [call.tool_input?.text ?? 'question', call]))
const decide = (call: Call | undefined, action: string, fields: object = {}) => ({
  call_id: call?.call_id,
  pending_id: call?.id,
  action,
  ...fields,
})

/** Sends several decisions, which must be accepted; returns the run when it is idle again. */
async function decided(id: string, ...decisions: object[]) {
  await app.post(`/v1/runs/${id}/respond`, { decisions })
  return app.rest(id)
}

describe('a case of several calls', () => {
  it('shows each with its exact arguments; what needs no approval was done meanwhile', async () => {
    const calls: ToolCall[] = [
      write('one', 'a'),
      { ...read, id: 'r' },
      ask('Why?'),
      write('two', 'b'),
    ]
    const { id, pending } = await start(calls)
    assert.deepEqual(pluck(sink.calls, 'tool'), ['read'])
    assert.deepEqual(pluck(pending.calls, 'kind'), ['approval', 'input', 'approval'])
    const { calls: all, case_id, ...first } = pending
    for (const [name, value] of Object.entries(all[0])) assert.deepEqual(first[name], value, name)
    assert.equal(case_id, pending.id)
    assert.deepEqual([all[1].prompt, all[2].tool_input], ['Why?', { text: 'two' }])
    const listed = (await app.get('/v1/pending')).find(
      (one: { run_id: string }) => one.run_id === id,
    )
    assert.deepEqual(listed.pending, pending)
    for (const { id: requestId } of all) {
      assert.equal((await app.get(`/v1/pending/${requestId}`)).run_id, id)
    }
    await app.post(`/v1/runs/${id}/cancel`, {})
    const waiting = (await app.events(id)).find((one) => one.type === 'run.waiting_input')
    assert.deepEqual(pluck(waiting?.data.calls ?? [], 'call_id'), pluck(all, 'call_id'))
    const [one, , question, two] = (await app.rest(id)).steps[0].tool_calls
    assert.deepEqual(pluck([one, question, two], 'status'), Array(3).fill('rejected'))
  })

  it('is decided together, each call its own way', async () => {
    const run = await start([...three, ask('Why?')])
    const { one, two, three: last, question } = byText(run)
    const decisions = [
      decide(two, 'reject', { reason: 'not now' }),
      decide(one, 'approve', { tool_input: { text: 'better' } }),
      decide(question, 'input', { input: 'because' }),
      decide(last, 'approve'),
    ]
    const { status, body } = await respond(run.id, { decisions })
    assert.equal(status, 202)
    const outcome = (call: Call | undefined, decision: string) => ({
      call_id: call?.call_id,
      decision,
    })
    const expected = [
      outcome(two, 'rejected'),
      outcome(one, 'edited'),
      outcome(question, 'answered'),
      outcome(last, 'approved'),
    ]
    assert.deepEqual(body.data, { id: run.id, status: 'running', decisions: expected })
    const ended = await app.rest(run.id)
    assert.match(ended.output, /written: better.*Reason: not now.*written: three.*because/)
    assert.deepEqual(sorted(), ['better', 'three'])
    const events = await app.events(run.id)
    const resumed = events.filter(({ type }) => type === 'run.resumed')
    assert.equal(resumed.length, 1)
    const told = resumed[0]?.data as { decisions: Call[]; call_id: string }
    assert.deepEqual(pluck(told.decisions, 'call_id'), pluck(expected, 'call_id'))
    assert.equal(told.call_id, two?.call_id, 'the first of them, as of one answer')
    const [audited] = await app.get(`/v1/audit?object_id=${run.id}&action=run.responded`)
    assert.equal(audited.after.decisions.length, 4)
  })

  it('is decided one by one: what is approved goes out, and the rest waits on as it was', async () => {
    const run = await start(three, { enabled: true, timeout_seconds: 3_600 })
    const { two } = byText(run)
    await passTime(app.database, '3000 s')
    await app.put(`/v1/pending/${two?.id}/assignee`, { user_id: ann.id })
    await app.post(`/v1/pending/${run.pending.id}/comments`, { text: 'look at two' })
    const after = await decided(run.id, decide(two, 'approve'))
    assert.deepEqual(written(), ['two'])
    const kept = run.pending.calls.filter(({ id }: Call) => id !== two?.id)
    assert.deepEqual(after.pending.calls, kept)
    assert.deepEqual([after.pending.id, after.pending.case_id], [run.pending.id, run.pending.id])
    const leftMs = Date.parse(after.pending.expires_at) - Date.parse(after.pending.created_at)
    assert.ok(leftMs > 500_000 && leftMs <= 600_000, `${leftMs} ms are left`)

    const last = await clerk.answered(run.id, { action: 'reject' })
    assert.equal(last.pending.id, run.pending.calls[2].id, 'a plain answer is for the first')
    assert.deepEqual([last.pending.calls, last.pending.case_id], [undefined, run.pending.id])
    const noted = await app.get(`/v1/pending/${last.pending.id}`)
    assert.equal(noted.assignee.id, ann.id, 'the case goes on')
    await app.post(`/v1/pending/${last.pending.id}/comments`, { text: 'two is done' })
    const comments = await app.pages(`/v1/pending/${last.pending.id}/comments?limit=1`)
    assert.deepEqual(pluck(comments.flat(), 'text'), ['two is done', 'look at two'])
    const ended = await clerk.answered(run.id, { action: 'approve', pending_id: last.pending.id })
    assert.equal(ended.status, 'completed')
    assert.deepEqual(written(), ['two', 'three'])
  })

  it('takes a plain answer for the call that it names', async () => {
    const run = await start(three)
    const { two, three: last } = byText(run)
    const after = await clerk.answered(run.id, { action: 'approve', pending_id: last?.id })
    assert.deepEqual(written(), ['three'])
    const again = await respond(run.id, { action: 'reject', pending_id: last?.id })
    assert.deepEqual(codeOf(again), [409, 'pending_mismatch'])
    assert.deepEqual(pluck(after.pending.calls, 'id'), [run.pending.id, two?.id])
    await app.post(`/v1/runs/${run.id}/cancel`, {})
  })

  it('takes decisions about one call as well, and repeats the answer of a repeated request', async () => {
    const run = await start(three)
    const { one, two } = byText(run)
    const send = (body: object) =>
      app.call('POST', `/v1/runs/${run.id}/respond`, {
        body,
        headers: { 'idempotency-key': `once-${run.id}` },
      })
    const body = { decisions: [decide(one, 'approve')] }
    const first = await send(body)
    const waiting = await app.rest(run.id)
    await app.forgetAnswer(`once-${run.id}`)
    const repeated = await send(body)
    assert.deepEqual([repeated.status, repeated.body], [202, first.body])
    assert.equal((await app.rest(run.id)).pending.id, waiting.pending.id)
    for (const action of ['approve', 'reject']) {
      const late = await respond(run.id, {
        decisions: [decide(two, 'reject'), decide(one, action)],
      })
      assert.deepEqual(codeOf(late), [409, 'call_decided'])
    }
    assert.deepEqual(pluck((await app.rest(run.id)).pending.calls, 'id').length, 2, 'all or none')
    await decided(run.id, ...waiting.pending.calls.map((call: Call) => decide(call, 'reject')))
    assert.deepEqual(written(), ['one'])
  })

  it('takes all decisions of a request or none, and says which is wrong', async () => {
    const run = await start([write('one', 'a'), write('two', 'b')])
    const { one, two } = byText(run)
    const yes = decide(one, 'approve')
    const cases: [object, number, string, string | undefined][] = [
      [
        { decisions: [yes, { ...yes, call_id: 'call_x' }] },
        400,
        'unknown_call',
        'decisions[1].call_id',
      ],
      [
        { decisions: [yes, decide(two, 'approve', { tool_input: { text: 5 } })] },
        400,
        'invalid_arguments',
        'decisions[1].tool_input.text',
      ],
      [
        { decisions: [yes, decide(two, 'approve', { pending_id: one?.id })] },
        409,
        'pending_mismatch',
        undefined,
      ],
    ]
    for (const [body, status, code, param] of cases) {
      const answer = await respond(run.id, body)
      const { error } = answer.body
      assert.deepEqual(
        [answer.status, error.code, error.param],
        [status, code, param],
        error.message,
      )
    }
    const known = await respond(run.id, { decisions: [{ ...yes, call_id: 'call_x' }] })
    assert.match(known.body.error.message, new RegExp(`expected one of ${one?.call_id}, `))
    assert.deepEqual((await app.rest(run.id)).pending, run.pending)
    await app.post(`/v1/runs/${run.id}/cancel`, {})
    assert.deepEqual(codeOf(await respond(run.id, { decisions: [yes] })), [409, 'run_not_waiting'])
    assert.deepEqual(written(), [])
  })

  it('is decided once by many who answer at once', async () => {
    const run = await start(three)
    const { one, two, three: last } = byText(run)
    const pairs = [
      [one, two],
      [two, last],
      [one, last],
    ]
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => {
        const decisions = pairs[n % 3]?.map((call) => decide(call, 'approve'))
        return respond(run.id, { decisions })
      }),
    )
    assert.equal(answers.filter(({ status }) => status === 202).length, 1)
    assert.ok(answers.every(({ status }) => status === 202 || status === 409))
    await until('the last call waits alone', 20_000, async () => {
      const { pending } = await app.get(`/v1/runs/${run.id}`)
      // The request whose id is that of the case names no case.
      return (pending?.case_id ?? pending?.id) === run.pending.id && pending.calls === undefined
    })
    assert.equal(written().length, 2)
    assert.equal((await clerk.answered(run.id, { action: 'approve' })).status, 'completed')
    assert.deepEqual(sorted(), ['one', 'three', 'two'])
  })

  it('ends whole when its time is over', async () => {
    const hitl = { enabled: true, timeout_seconds: 60, on_timeout: 'reject' }
    const run = await start([...three, ask('Why?')], hitl)
    await decided(run.id, decide(byText(run)['two'], 'approve'))
    await passTime(app.database, '60 s')
    await until('it is over', 20_000, async () => {
      return (await app.get(`/v1/runs/${run.id}`)).status === 'completed'
    })
    const { steps } = await app.get(`/v1/runs/${run.id}`)
    assert.deepEqual(pluck(steps[0].tool_calls, 'decision'), [
      'expired',
      'approved',
      'expired',
      'expired',
    ])
    const events = await app.events(run.id)
    const over = events.findLast((one) => one.type === 'run.resumed')
    assert.deepEqual(pluck(over?.data.decisions ?? [], 'decision'), Array(3).fill('expired'))
    assert.deepEqual(written(), ['two'])
  })

  it('is told to webhooks with all its calls', async () => {
    await using receiver = await startWebhookReceiver()
    const hook = await app.post('/v1/webhooks', {
      url: receiver.url,
      events: ['run.waiting_input'],
    })
    const run = await start(three)
    await receiver.until(() => receiver.received.length > 0)
    assert.deepEqual(receiver.received[0]?.body.data.pending, run.pending)
    await app.call('DELETE', `/v1/webhooks/${hook.id}`)
    await app.post(`/v1/runs/${run.id}/cancel`, {})
  })
})

describe('each call of a case', () => {
  it('has approvals of its own, which stay while others are made', async () => {
    const run = await start(three, { enabled: true, required_approvals: 2 })
    const { one, two, three: last } = byText(run)
    const send = async (person: Person, ...decisions: object[]) =>
      (await person.call('POST', `/v1/runs/${run.id}/respond`, { decisions })).body
    const some = await send(ann, decide(one, 'approve'), decide(two, 'approve'))
    const approvals = { given: 1, required: 2 }
    assert.deepEqual(some.data, {
      id: run.id,
      status: 'waiting_input',
      decisions: [
        { call_id: one?.call_id, decision: 'approved', approvals },
        { call_id: two?.call_id, decision: 'approved', approvals },
      ],
    })
    assert.equal((await send(ann, decide(one, 'approve'))).error.code, 'already_approved')
    const mixed = await send(bob, decide(two, 'approve'), decide(last, 'approve'))
    assert.equal(mixed.data.status, 'running')
    const after = await app.rest(run.id)
    assert.deepEqual(written(), ['two'])
    const given = after.pending.calls.map((call: { approvals: { by: { name: string }[] } }) =>
      pluck(call.approvals.by, 'name').join(),
    )
    assert.deepEqual(given, ['Ann', 'Bob'])
    const edit = await send(bob, decide(one, 'approve', { tool_input: { text: 'better' } }))
    assert.deepEqual(edit.data.decisions[0].approvals, approvals, 'they begin anew')
    const edited = await app.rest(run.id)
    assert.notEqual(edited.pending.id, one?.id)
    assert.deepEqual(edited.pending.case_id, edited.pending.id, 'which is another case')
    const all = edited.pending.calls.map((call: Call) => decide(call, 'approve'))
    assert.equal((await send(ann, ...all)).data.status, 'running')
    assert.equal((await app.rest(run.id)).status, 'completed')
    assert.deepEqual(sorted(), ['better', 'three', 'two'])
    const types = pluck(await app.events(run.id), 'type')
    assert.equal(types.filter((type) => type === 'run.waiting_input').length, 3)
  })

  it('is bound by the policies: four eyes, pending_id, rules that block', async () => {
    const run = await start(three)
    const { one, two } = byText(run)
    const both = { decisions: [decide(one, 'reject'), decide(two, 'approve')] }
    await app.patch('/v1/policies', { four_eyes: true })
    assert.deepEqual(codeOf(await respond(run.id, both)), [403, 'four_eyes'])
    await app.patch('/v1/policies', { four_eyes: false, require_pending_id: true })
    const bare = await respond(run.id, { decisions: [{ call_id: one?.call_id, action: 'reject' }] })
    assert.deepEqual([bare.status, bare.body.error.param], [400, 'decisions[0].pending_id'])
    const rules = [{ action: 'sink.write', when: 'args.text == "two"', decision: 'block' }]
    await app.patch('/v1/policies', { require_pending_id: false, rules })
    const blocked = await respond(run.id, both)
    assert.deepEqual(codeOf(blocked), [409, 'blocked_by_rule'])
    await app.patch('/v1/policies', { rules: [] })
    assert.deepEqual((await app.rest(run.id)).pending.calls.length, 3)
    await app.post(`/v1/runs/${run.id}/cancel`, {})
  })

  it('that may have been done is asked for again, with the rest of the case', async () => {
    const run = await start(three)
    sink.onCall = (response) => response.destroy()
    const after = await decided(run.id, decide(byText(run)['two'], 'approve'))
    sink.onCall = undefined
    const [one, two, last] = after.pending.calls
    assert.match(two.prompt, /^It is unknown whether sink.write \(text: two\) was done/)
    assert.deepEqual([one.id, last.id], [run.pending.calls[0].id, run.pending.calls[2].id])
    assert.notEqual(two.id, run.pending.calls[1].id)
    assert.equal(after.pending.case_id, two.id, 'which people are told of')
    const edit = decide(two, 'approve', { tool_input: { text: 'x' } })
    const refused = await respond(run.id, { decisions: [edit] })
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'decisions[0].tool_input'])
    const ended = await decided(
      run.id,
      decide(one, 'reject'),
      decide(two, 'reject'),
      decide(last, 'approve'),
    )
    assert.equal(ended.status, 'completed')
    assert.deepEqual(written(), ['two', 'three'])
  })

  it('is asked for anew where its tool changed meanwhile', async () => {
    const run = await start(three)
    const before = sink.tools
    const [first, ...others] = before
    if (first === undefined) throw new Error('the sink has no tools')
    sink.tools = [{ ...first, description: 'Writes it elsewhere.' }, ...others]
    await app.put('/v1/connectors/sink', { kind: 'mcp', url: sink.url, safe_tools: ['read'] })
    const { one, two } = byText(run)
    const after = await decided(run.id, decide(one, 'approve'), decide(two, 'reject'))
    assert.deepEqual(written(), [])
    const texts = after.pending.calls.map((call: Call) => call.tool_input.text)
    assert.deepEqual(texts, ['one', 'three'])
    for (const call of after.pending.calls) {
      assert.equal(call.tool_changed.description, 'Writes it elsewhere.')
      assert.ok(run.pending.calls.every(({ id }: Call) => id !== call.id))
    }
    sink.tools = before
    await app.put('/v1/connectors/sink', { kind: 'mcp', url: sink.url, safe_tools: ['read'] })
    await app.post(`/v1/runs/${run.id}/cancel`, {})
  })
})
