import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { untilFound } from '../../rig/until.ts'
import { startMailServer } from '../../cli/operate/mail-server.ts'
import { startMcpSink } from '../../rig/mcp-sink.ts'
import { actOnce, type ToolCall } from '../../test/clerk.ts'
import type { Answer } from '../../test/api-client.ts'
import { startTestApp } from '../../test/test-app.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const pay = (currency: string, type = 'number') => ({
  name: 'pay',
  description: `Pays an amount in ${currency}.`,
  inputSchema: {
    type: 'object',
    properties: { amount: { type, description: currency } },
    required: ['amount'],
  },
})
const read = {
  name: 'read',
  description: 'Reads.',
  inputSchema: { type: 'object', properties: {} },
}

const sink = fixture(() => startMcpSink())
/**
 * Tests that an approval holds only for the arguments, action and connection that the person saw.
 */
const app = fixture(() => startTestApp())
beforeEach(async () => {
  sink.calls.length = 0
  sink.onCall = undefined
  sink.tools = [pay('cents'), read]
  await connect()
})

const connect = (fields: Record<string, unknown> = {}) =>
  put('bank', { kind: 'mcp', url: sink.url, safe_tools: ['read'], ...fields })

const put = (id: string, body: object) => app.put(`/v1/connectors/${id}`, body)

/**
 * Starts a run whose agent makes these calls in its first turn; returns it when it waits or has
 * ended.
 */
async function start(calls: ToolCall[], hitl: object = {}): Promise<Answer['body']> {
  app.answer = actOnce(...calls)
  const agentId = await app.createAgent({
    role: 'clerk',
    connectors: ['bank', 'email'],
    capabilities: ['bank.pay', 'bank.read', 'email.send'],
    memory_enabled: true,
  })
  const crew = [{ role: 'clerk', systemPrompt: 'act', agentId }]
  return app.run(await app.createWorkflow({ crew, human_in_the_loop: { enabled: true, ...hitl } }))
}

async function respond(run: Answer['body'], fields: object = {}) {
  const body = { action: 'approve', pending_id: run.pending.id, ...fields }
  await app.post(`/v1/runs/${run.id}/respond`, body)
  return app.rest(run.id)
}

/** Approves the calls of a run; no worker continues it, as if its worker had died at that moment. */
const approveAndDie = ({ id }: Answer['body']) => app.sql`
  update tool_calls set status = 'approved', decision = 'approved', decided_at = now()
  where run_id = ${id}`

/** Lets a worker continue a run that `approveAndDie` has left. */
const goOn = ({ id }: Answer['body']) => app.sql`
  with freed as (update runs set status = 'running', pending = null,
      waiting_since = null, expires_at = null where id = ${id}
    returning account_id, id)
  insert into jobs (account_id, run_id, begun) select account_id, id, true from freed`

const pay500 = [{ name: 'bank__pay', arguments: { amount: 500 } }]
const amounts = () => sink.calls.map(({ input }) => input['amount'])

async function versionNow(action: string): Promise<string> {
  const data = await app.get('/v1/connectors')
  const actions = data.flatMap((one: { actions: unknown[] }) => one.actions)
  return actions.find(({ id }: { id: string }) => id === action).version
}

describe('an approval of a tool', () => {
  it('says what it is bound to, which stays where the tool is accepted again as it was', async () => {
    const waiting = await start(pay500)
    assert.equal(waiting.pending.tool_version, await versionNow('bank.pay'))
    assert.equal(waiting.steps[0].tool_calls[0].tool_version, waiting.pending.tool_version)
    assert.equal(waiting.pending.tool_changed, undefined)
    sink.tools = [pay('cents'), { ...read, description: 'Reads more.' }]
    await connect()
    assert.equal((await respond(waiting)).status, 'completed')
    assert.deepEqual(amounts(), [500])
  })

  it('is not carried out where a rule blocks the action before it goes out', async () => {
    const waiting = await start(pay500)
    await approveAndDie(waiting)
    const rule = { action: 'bank.pay', when: 'args.amount > 100', decision: 'block' }
    await app.patch('/v1/policies', { rules: [{ ...rule, reason: 'too much' }] })
    await goOn(waiting)
    const ended = await app.rest(waiting.id)
    await app.patch('/v1/policies', { rules: [] })
    const [call] = ended.steps[0].tool_calls
    assert.deepEqual([ended.status, call.status, amounts()], ['completed', 'rejected', []])
    assert.equal(call.decision, 'approved')
    assert.match(call.output, /not done: a rule blocks it \(too much\)/)
  })

  it('is not carried out where its agent loses the capability, or gets a rule that blocks it', async () => {
    const changes = [
      { capabilities: ['bank.read'] },
      { rules: [{ action: '*', decision: 'block' }] },
    ]
    for (const change of changes) {
      const waiting = await start(pay500)
      await app.patch(`/v1/agents/${waiting.steps[0].agent_id}`, change)
      const ended = await respond(waiting)
      const [call] = ended.steps[0].tool_calls
      assert.deepEqual([ended.status, call.status, amounts()], ['completed', 'rejected', []])
      assert.match(call.output, /^This action was refused and not done: /)
    }
  })

  it('is refused and asked anew where the tool changed while the person thought', async () => {
    const waiting = await start(pay500)
    sink.tools = [pay('dollars'), read]
    await connect()
    const again = await respond(waiting)
    assert.deepEqual([again.status, amounts()], ['waiting_input', []])
    const { pending } = again
    assert.notEqual(pending.id, waiting.pending.id)
    assert.notEqual(pending.tool_version, waiting.pending.tool_version)
    assert.equal(pending.tool_version, await versionNow('bank.pay'))
    assert.match(
      pending.prompt,
      /^bank\.pay .*has changed.*clerk asks to run bank\.pay \(amount: 500\)/,
    )
    assert.deepEqual(pending.tool_changed, {
      description: 'Pays an amount in dollars.',
      input_schema: pay('dollars').inputSchema,
    })
    assert.deepEqual(pending.tool_input, { amount: 500 })
    const [call] = again.steps[0].tool_calls
    assert.deepEqual([call.status, call.decision, call.decided_by], ['proposed', null, null])
    const ended = await respond(again, { tool_input: { amount: 5 } })
    assert.deepEqual([ended.status, amounts()], ['completed', [5]])
    const { body } = await app.call('GET', `/v1/runs/${again.id}/events`)
    assert.equal(
      body.match(/"decision": ?"approved"/g)?.length,
      1,
      'the first answer stays on record',
    )
  })

  it('is refused where the server changed its tool and no admin has accepted that', async () => {
    const waiting = await start(pay500)
    sink.tools = [pay('dollars'), read]
    const ended = await respond(waiting)
    assert.deepEqual([ended.status, amounts()], ['completed', []])
    assert.match(ended.output, /changed since an admin accepted it/)
  })

  it('is void where the tool changed between the approval and its beginning, over a restart too', async () => {
    const run = await start(pay500)
    await approveAndDie(run)
    sink.tools = [pay('dollars'), read]
    await connect()
    await goOn(run)
    const again = await waitAnew(run)
    assert.deepEqual([again.pending.tool_input, amounts()], [{ amount: 500 }, []])
    assert.equal(again.pending.tool_changed.description, 'Pays an amount in dollars.')
    assert.equal((await respond(again)).status, 'completed')
  })

  it('is void where the server is another one, or is spoken to as somebody else', async () => {
    for (const fields of [{ url: `${sink.url}?of=another` }, { headers: { 'x-team': 'b' } }]) {
      await connect()
      sink.calls.length = 0
      const waiting = await start(pay500)
      await connect(fields)
      const again = await respond(waiting)
      assert.deepEqual([again.status, amounts()], ['waiting_input', []], JSON.stringify(fields))
      await respond(again, { action: 'reject' })
    }
  })

  it('goes back to the agent where the arguments no longer fit', async () => {
    const waiting = await start(pay500)
    sink.tools = [pay('dollars', 'string'), read]
    await connect()
    const ended = await respond(waiting)
    assert.deepEqual([ended.status, amounts()], ['completed', []])
    assert.match(ended.output, /not made: bank\.pay .*has changed.*amount/)
  })

  it('is asked with what there is now where the tool changed before anybody was asked for it', async () => {
    const first = await start([...pay500, { ...pay500[0], name: 'bank__pay', id: 'b' }] as never)
    sink.tools = [pay('dollars'), read]
    await connect()
    const again = await respond(first, { action: 'reject' })
    assert.equal(again.status, 'waiting_input')
    assert.equal(again.pending.tool_changed.description, 'Pays an amount in dollars.')
    await respond(again, { action: 'reject' })
  })

  it('holds for a repeat of an unknown outcome, which stays one', async () => {
    sink.onCall = (response) => response.destroy()
    const waiting = await respond(await start(pay500))
    assert.match(waiting.pending.prompt, /^It is unknown/)
    sink.onCall = undefined
    sink.tools = [pay('dollars'), read]
    await connect()
    const again = await respond(waiting)
    assert.match(again.pending.prompt, /has changed.*It is unknown whether bank\.pay/)
    assert.equal(again.steps[0].tool_calls[0].status, 'unknown')
    assert.equal(sink.calls.length, 1)
    const ended = await respond(again, { action: 'reject' })
    assert.equal(ended.steps[0].tool_calls[0].status, 'unknown')
  })

  const waitAnew = (run: Answer['body']): Promise<Answer['body']> =>
    untilFound('the run asks anew', 20_000, async () => {
      const now = await app.rest(run.id)
      return now.pending !== null && now.pending.id !== run.pending.id ? now : undefined
    })
})

describe('an approval of an email', () => {
  it('is void where it would go through another server or in another name', async () => {
    await using mail = await startMailServer()
    const server = { host: '127.0.0.1', port: mail.port, from: 'shop@example.com' }
    await put('email', server)
    const waiting = await start([
      { name: 'email__send', arguments: { to: 'a@example.org', subject: 's', text: 't' } },
    ])
    await put('email', { ...server, from: 'ceo@example.com' })
    const again = await respond(waiting)
    assert.deepEqual([again.status, mail.mails.length], ['waiting_input', 0])
    assert.match(again.pending.prompt, /^email\.send or its connection has changed/)
    assert.equal((await respond(again)).status, 'completed')
    assert.deepEqual(
      mail.mails.map(({ from }) => from?.address),
      ['ceo@example.com'],
    )
  })
})

describe('a note', () => {
  const remember = [{ name: 'remember', arguments: { content: 'pays late' } }]

  it('waits for approval like other actions where all are asked for', async () => {
    const waiting = await start(remember, { approvals: 'all' })
    assert.equal(waiting.pending.prompt, 'clerk asks to run remember (content: pays late).')
    assert.equal(waiting.pending.tool_version, undefined)
    const ended = await respond(waiting, { tool_input: { content: 'pays in time' } })
    assert.match(ended.output, /A person changed the arguments.*\s+Kept as mem_/)
    const path = `/v1/agents/${ended.steps[0].agent_id}/memory`
    assert.deepEqual(pluck(await app.get(path), 'content'), ['pays in time'])
    const rejected = await respond(await start(remember, { approvals: 'all' }), {
      action: 'reject',
    })
    assert.match(rejected.output, /A person rejected this action/)
  })

  it('does not wait where sensitive actions alone are asked for', async () => {
    assert.equal((await start(remember)).status, 'completed')
  })
})
