import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { actOnce, ask, clerkFixture, write } from '../../test/clerk.ts'
import { codeOf, type Person } from '../../test/api-client.ts'
import { callTools, complete, toolResults, type ModelAnswer } from '../../test/test-app.ts'
import { until } from '../../rig/until.ts'
import { startWebhookReceiver } from '../../rig/webhook-receiver.ts'
import { prepare } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

/** Tests who may answer a run, and which request an answer is for. */
const clerk = clerkFixture({}, [])
const { app, sink } = clerk
let ann: Person
let bob: Person
let cleo: Person
prepare(async () => {
  ann = await app.join('Ann', 'member')
  bob = await app.join('Bob', 'approver')
  cleo = await app.join('Cleo', 'admin')
})
beforeEach(async () => {
  sink.calls.length = 0
  app.answer = writeInTurns('hello')
  await setPolicies({ four_eyes: false, require_pending_id: false })
})

const setPolicies = (body: object) => app.patch('/v1/policies', body)
const create = (fields: object) => clerk.createWorkflow({ enabled: true, ...fields })

async function start(fields: object = {}, by?: Person): Promise<string> {
  const path = `/v1/workflows/${await create(fields)}/runs`
  const body = { input: 'go' }
  const { id } =
    by === undefined ? await app.post(path, body) : (await by.call('POST', path, body)).body.data
  await untilStatus(id, 'waiting_input')
  return id
}

const untilStatus = (id: string, status: string) =>
  until(status, 20_000, async () => {
    return (await app.row`select status from runs where id = ${id}`).status === status
  })

const read = (id: string) => app.get(`/v1/runs/${id}`)
const path = (id: string) => `/v1/runs/${id}/respond`
const approve = (person: Person, id: string, fields: object = {}) =>
  person.call('POST', path(id), { action: 'approve', ...fields })
const byKey = clerk.respond

/** A model that writes each text in a turn of its own, then reports the results. */
function writeInTurns(...texts: string[]): ModelAnswer {
  return (request, response) => {
    const turn = request.messages.filter(({ role }) => role === 'assistant').length
    const text = texts[turn]
    if (text === undefined) complete(response, `done: ${toolResults(request).join(' | ')}`)
    else callTools(response, [write(text)])
  }
}

describe('approvers', () => {
  it('are the ones that the workflow of the run had when it began', async () => {
    const id = await start({ approvers: { users: [bob.id] } })
    const { workflow_id, pending } = await read(id)
    assert.deepEqual(pending.approvers, { users: [bob.id], roles: [] })
    const human_in_the_loop = { approvers: { roles: ['member'] } }
    await app.call('PATCH', `/v1/workflows/${workflow_id}`, { body: { human_in_the_loop } })
    for (const action of ['approve', 'reject']) {
      assert.deepEqual(codeOf(await byKey(id, { action })), [403, 'not_an_approver'])
    }
    assert.deepEqual(codeOf(await approve(ann, id)), [403, 'not_an_approver'])
    assert.deepEqual(codeOf(await approve(cleo, id)), [403, 'not_an_approver'])
    assert.deepEqual((await approve(bob, id)).body.data, { id, status: 'running' })
    assert.equal((await app.rest(id)).output, 'done: written: hello')
  })

  it('are roles of people and keys, each by its name', async () => {
    const id = await start({ approvers: { roles: ['member'], users: [bob.id] } })
    assert.deepEqual(codeOf(await byKey(id, { action: 'approve' })), [403, 'not_an_approver'])
    assert.equal((await approve(ann, id)).status, 202)
  })

  it('answer questions as well', async () => {
    app.answer = actOnce(ask('Why?'))
    const id = await start({ approvers: { users: [bob.id] }, required_approvals: 1 })
    const reply = { action: 'input', input: 'because' }
    assert.deepEqual(codeOf(await ann.call('POST', path(id), reply)), [403, 'not_an_approver'])
    assert.equal((await bob.call('POST', path(id), reply)).status, 202)
  })

  it('must be people of the account, and enough of them', async () => {
    const wrong: [Record<string, unknown>, string][] = [
      [{ approvers: { users: ['usr_nobody'] } }, 'human_in_the_loop.approvers.users[0]'],
      [{ approvers: {} }, 'human_in_the_loop.approvers'],
      [{ approvers: { users: [bob.id] }, required_approvals: 2 }, 'human_in_the_loop.approvers'],
      [{ approvers: { roles: ['viewer'] } }, 'human_in_the_loop.approvers.roles[0]'],
      [{ required_approvals: 6 }, 'human_in_the_loop.required_approvals'],
    ]
    const tryTo = (fields: object) => {
      const human_in_the_loop = { enabled: true, ...fields }
      return app.call('POST', '/v1/workflows', { body: { name: 'w', human_in_the_loop } })
    }
    for (const [fields, param] of wrong) {
      const refused = await tryTo(fields)
      assert.deepEqual([refused.status, refused.body.error?.param], [400, param])
    }
    const made = await tryTo({ approvers: { users: [bob.id, bob.id] } })
    assert.deepEqual(made.body.data.human_in_the_loop.approvers, { users: [bob.id], roles: [] })
    const body = { human_in_the_loop: { required_approvals: 2 } }
    const changed = await app.call('PATCH', `/v1/workflows/${made.body.data.id}`, { body })
    assert.equal(changed.body.error?.param, 'human_in_the_loop.approvers')
  })
})

describe('several approvals', () => {
  it('come from different people, and the last one lets the action happen', async () => {
    const id = await start({ required_approvals: 3 })
    const { pending } = await read(id)
    assert.deepEqual(pending.approvals, { required: 3, given: 0, by: [] })
    const first = await approve(ann, id, { reason: 'fine' })
    const approvals = { given: 1, required: 3 }
    assert.deepEqual(
      [first.status, first.body.data],
      [202, { id, status: 'waiting_input', approvals }],
    )
    assert.deepEqual(codeOf(await approve(ann, id)), [409, 'already_approved'])
    assert.deepEqual(codeOf(await byKey(id, { action: 'approve' })), [400, 'user_required'])
    assert.equal((await approve(bob, id, { pending_id: pending.id })).status, 202)
    const [waiting] = await app.get('/v1/pending')
    assert.equal(waiting.pending.id, pending.id)
    assert.equal(waiting.pending.approvals.given, 2)
    assert.deepEqual(
      waiting.pending.approvals.by.map(({ id, name, reason }: Person & { reason: unknown }) => [
        id,
        name,
        reason,
      ]),
      [
        [ann.id, 'Ann', 'fine'],
        [bob.id, 'Bob', null],
      ],
    )
    assert.deepEqual(sink.calls, [])
    assert.deepEqual((await approve(cleo, id)).body.data, { id, status: 'running' })
    const run = await app.rest(id)
    assert.equal(run.output, 'done: written: hello')
    const [call] = run.steps[0].tool_calls
    assert.deepEqual([call.decision, call.decided_by], ['approved', cleo.id])
    const names = pluck(call.approvals, 'name')
    assert.deepEqual(names, ['Ann', 'Bob', 'Cleo'])
    const types = pluck(await app.events(id), 'type')
    assert.equal(types.filter((type) => type === 'run.approval_given').length, 2)
    const audit = await app.get(`/v1/audit?object_id=${id}&action=run.responded`)
    assert.equal(audit.length, 3)
  })

  it('are two, however many of one come at once', async () => {
    const id = await start({ required_approvals: 2 })
    const both = [ann, ann, ann, ann, bob, bob, bob, bob]
    const answers = await Promise.all(both.map((person) => approve(person, id)))
    assert.equal(answers.filter(({ status }) => status === 202).length, 2)
    assert.equal((await app.rest(id)).status, 'completed')
    assert.equal(sink.calls.length, 1)
  })

  it('begin anew with other arguments, which are another request', async () => {
    await using receiver = await startWebhookReceiver()
    const body = { url: receiver.url, events: ['run.waiting_input'] }
    const { id: hook } = await app.post('/v1/webhooks', body)
    const id = await start({ required_approvals: 2 })
    const before = (await read(id)).pending
    await approve(ann, id)
    const edit = { tool_input: { text: 'better' }, pending_id: before.id }
    assert.deepEqual((await approve(bob, id, edit)).body.data, {
      id,
      status: 'waiting_input',
      approvals: { given: 1, required: 2 },
    })
    const { pending, steps } = await read(id)
    assert.notEqual(pending.id, before.id)
    assert.deepEqual(pending.tool_input, { text: 'better' })
    assert.equal(pending.prompt, 'clerk asks to run sink.write (text: better).')
    assert.deepEqual(steps[0].tool_calls[0].proposed_input, { text: 'hello' })
    assert.deepEqual(codeOf(await approve(bob, id)), [409, 'already_approved'])
    const late = await approve(ann, id, { pending_id: before.id })
    assert.deepEqual(codeOf(late), [409, 'pending_mismatch'])
    assert.equal((await approve(ann, id, { pending_id: pending.id })).status, 202)
    const [call] = (await app.rest(id)).steps[0].tool_calls
    assert.deepEqual([call.decision, call.input], ['edited', { text: 'better' }])
    assert.deepEqual(pluck(sink.calls, 'input'), [{ text: 'better' }])
    await receiver.until(() => receiver.received.length >= 2)
    const asked = receiver.received.map(({ body }) => body as { data: { pending: { id: string } } })
    const ids = new Set(asked.map(({ data }) => data.pending.id))
    assert.deepEqual(ids, new Set([before.id, pending.id]))
    await app.call('DELETE', `/v1/webhooks/${hook}`)
  })

  it('end with one rejection', async () => {
    const id = await start({ required_approvals: 2 })
    await approve(ann, id)
    const rejected = await bob.call('POST', path(id), { action: 'reject', reason: 'no' })
    assert.deepEqual(rejected.body.data, { id, status: 'running' })
    const run = await app.rest(id)
    assert.match(run.output, /A person rejected this action.*Reason: no/)
    const [call] = run.steps[0].tool_calls
    assert.deepEqual([call.decision, call.approvals.length], ['rejected', 1])
    assert.deepEqual(sink.calls, [])
  })

  it('count once where one is repeated under its Idempotency-Key', async () => {
    const id = await start({ required_approvals: 2 })
    const headers = { 'idempotency-key': 'partial' }
    const ask = () => ann.call('POST', path(id), { action: 'approve' }, headers)
    const first = await ask()
    // Stands for a process that died before it stored the answer.
    await app.forgetAnswer('partial')
    const again = await ask()
    assert.deepEqual([again.status, again.body], [202, first.body])
    assert.equal((await read(id)).pending.approvals.given, 1)
    await approve(bob, id)
    assert.equal((await app.rest(id)).status, 'completed')
  })
})

describe('four eyes', () => {
  it('keep whoever triggered a run from approving in it, not from rejecting', async () => {
    await setPolicies({ four_eyes: true })
    const id = await start({}, ann)
    const run = await read(id)
    assert.deepEqual(run.triggered_by, { type: 'user', id: ann.id, name: 'Ann' })
    assert.deepEqual(run.pending.excluded, [ann.id])
    const listed = await app.get('/v1/pending')
    assert.deepEqual(
      listed.find(({ run_id }: { run_id: string }) => run_id === id).pending.excluded,
      [ann.id],
    )
    assert.deepEqual(codeOf(await approve(ann, id)), [403, 'four_eyes'])
    const edit = await approve(ann, id, { tool_input: { text: 'x' } })
    assert.deepEqual(codeOf(edit), [403, 'four_eyes'])
    assert.equal((await approve(bob, id)).status, 202)
    assert.equal((await app.rest(id)).status, 'completed')
    const own = await start({}, ann)
    assert.equal((await ann.call('POST', path(own), { action: 'reject' })).status, 202)
  })

  it('count keys as well, and only while the policy is set', async () => {
    await setPolicies({ four_eyes: true })
    const id = await start()
    assert.deepEqual(codeOf(await byKey(id, { action: 'approve' })), [403, 'four_eyes'])
    await setPolicies({ four_eyes: false })
    assert.equal((await read(id)).pending.excluded, undefined)
    assert.equal((await byKey(id, { action: 'approve' })).status, 202)
  })

  it('remember who triggered what was retried', async () => {
    await setPolicies({ four_eyes: true })
    app.answer = (_, response) => response.writeHead(400).end('{}')
    const workflow = await create({})
    const triggered = await ann.call('POST', `/v1/workflows/${workflow}/runs`, { input: 'go' })
    await untilStatus(triggered.body.data.id, 'failed')
    app.answer = writeInTurns('hello')
    const retried = await cleo.call('POST', `/v1/runs/${triggered.body.data.id}/retry`)
    const { id, triggered_by } = retried.body.data
    assert.equal(triggered_by.id, cleo.id)
    await untilStatus(id, 'waiting_input')
    assert.deepEqual((await read(id)).pending.excluded.toSorted(), [ann.id, cleo.id].toSorted())
    for (const person of [ann, cleo]) {
      assert.deepEqual(codeOf(await approve(person, id)), [403, 'four_eyes'])
    }
    assert.equal((await approve(bob, id)).status, 202)
    assert.equal((await app.rest(id)).status, 'completed')
  })
})

describe('an answer that names no request', () => {
  /** Waits until the run asks for something else, without reading the run through the API. */
  const untilAnother = (id: string, before: string) =>
    until('another request', 20_000, async () => {
      const { pending } = await app.row`select pending from runs where id = ${id}`
      return pending !== null && pending.id !== before
    })

  it('answers what waits, as the contract has it, and reading a run writes nothing', async () => {
    app.answer = writeInTurns('one', 'two')
    const id = await start()
    const { pending } = await read(id)
    assert.equal((await approve(bob, id)).status, 202)
    await untilAnother(id, pending.id)
    assert.equal((await approve(bob, id)).status, 202)
    assert.equal((await app.rest(id)).status, 'completed')
    assert.deepEqual(await app.sql`select from shown_requests`, [])
  })

  it('is refused where the account requires one that does', async () => {
    await setPolicies({ require_pending_id: true })
    const id = await start()
    const refused = await approve(ann, id)
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'pending_id'])
    const { pending } = await read(id)
    assert.equal((await approve(ann, id, { pending_id: pending.id })).status, 202)
  })
})
