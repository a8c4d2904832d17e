import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createAccount } from '../accounts/create-account.ts'
import { actOnce, ask, clerkFixture, write } from '../../test/clerk.ts'
import { pluck } from '../../test/pluck.ts'
import { complete, type ModelAnswer } from '../../test/test-app.ts'
import { connectMcp, eras, postMcp } from './test-mcp.ts'

const at = clerkFixture()
const { app } = at

const echo: ModelAnswer = (request, response) =>
  complete(response, `echo: ${request.messages.at(-1)?.content.split('\n').at(-1)}`)
const textOf = ({ content }: { content: unknown[] }) => (content[0] as { text: string }).text
const fieldsOf = ({ structuredContent = {} }: { structuredContent?: unknown }) =>
  structuredContent as Record<string, unknown>
const runOf = ({ _meta }: { _meta?: Record<string, unknown> | undefined }) =>
  _meta?.['muster/run'] as { id: string; status: string; url: string }

const reportSchema = {
  type: 'object',
  properties: { site: { $ref: '#/$defs/site' } },
  required: ['site'],
  $defs: { site: { type: 'string', description: 'A site.' } },
}
const outputSchema = {
  type: 'object',
  properties: { first: { $ref: '#/$defs/n' }, second: { type: 'integer' } },
  required: ['first', 'second'],
  additionalProperties: false,
  $defs: { n: { type: 'integer' } },
}
const crew = [{ role: 'writer', systemPrompt: 's' }]

for (const era of eras) {
  describe(`the MCP server, for a ${era} client`, () => {
    it('lists the tools of the account, page by page', async () => {
      const { adminKey: key } = await createAccount(app.database, `pages ${era}`)
      for (let at = 0; at < 51; at++) {
        const name = `t${String(at).padStart(2, '0')}`
        await app.createWorkflow({ crew, expose_mcp: { name } }, key)
      }
      const paused = await app.createWorkflow({ crew, expose_mcp: { name: 'u' } }, key)
      await app.as(key).patch(`/v1/workflows/${paused}`, { status: 'paused' })
      await app.createWorkflow({ crew }, key)
      await using mcp = await connectMcp({ url: app.url, key }, era)
      const { tools } = await mcp.client.listTools()
      assert.deepEqual(pluck(tools, 'name'), [
        'run_status',
        'run_wait',
        'run_cancel',
        'inbox_list',
        'inbox_answer',
        ...Array.from({ length: 51 }, (_, at) => `t${String(at).padStart(2, '0')}`),
      ])
      const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]))
      assert.equal(hints.get('run_wait')?.readOnlyHint, true)
      assert.equal(hints.get('inbox_answer')?.destructiveHint, true)
      assert.equal(hints.get('t00')?.readOnlyHint, false)
    })

    it('runs a workflow and answers with its output', async () => {
      app.answer = echo
      await app.createWorkflow({
        name: 'Echo',
        description: 'Repeats.',
        crew,
        expose_mcp: { name: `echo_${era}` },
      })
      await using mcp = await connectMcp(app, era)
      const { tools } = await mcp.client.listTools()
      const tool = tools.find(({ name }) => name === `echo_${era}`)
      assert.deepEqual([tool?.title, tool?.description], ['Echo', 'Repeats.'])
      assert.deepEqual(tool?.inputSchema.required, ['input'])
      assert.equal(tool?.outputSchema, undefined)
      const result = await mcp.call(`echo_${era}`, { input: 'hello' })
      assert.equal(textOf(result), 'echo: hello')
      assert.equal(result.structuredContent, undefined)
      const { id, status, url } = runOf(result)
      assert.deepEqual([status, url], ['completed', `${app.url}/runs/${id}`])
      const run = await app.get(`/v1/runs/${id}`)
      assert.deepEqual([run.input, run.triggered_by.type], ['hello', 'key'])
      const audit = await app.get(`/v1/audit?object_id=${id}`)
      assert.deepEqual(pluck(audit, 'action'), ['run.triggered'])
    })

    it('takes the data of an input schema and gives the structured output verbatim', async () => {
      const output = { second: 2, first: 1 }
      app.answer = (_request, response) => complete(response, JSON.stringify(output))
      await app.createWorkflow({
        crew: [{ ...crew[0], output_schema: outputSchema }],
        input_schema: reportSchema,
        expose_mcp: { name: `report_${era}` },
      })
      await using mcp = await connectMcp(app, era)
      const { tools } = await mcp.client.listTools()
      const tool = tools.find(({ name }) => name === `report_${era}`)
      assert.ok(tool?.outputSchema)
      const { properties = {}, ...schema } = tool.inputSchema
      assert.deepEqual(schema.required, ['site'])
      assert.deepEqual(Object.keys(properties), ['site', 'wait_seconds'])
      assert.equal(tool.outputSchema['type'], 'object')
      const fits = new Ajv2020({ strict: false }).compile(tool.outputSchema as object)
      assert.ok(fits(output) && fits({ run_id: 'r', status: 'running', url: 'u' }))
      assert.ok(!fits({ first: 'x', second: 2 }))

      const result = await mcp.call(`report_${era}`, { site: 'Köln' })
      assert.deepEqual(result.structuredContent, output)
      assert.equal(textOf(result), JSON.stringify(output))
      const run = await app.get(`/v1/runs/${runOf(result).id}`)
      assert.deepEqual([run.data, run.output_json], [{ site: 'Köln' }, output])
      const wrong = await mcp.call(`report_${era}`, { site: 5 })
      assert.equal(wrong.isError, true)
      assert.match(textOf(wrong), /data does not fit the input_schema: site must be a string/)
    })

    it('answers with a handle in time, by which the answer is found', async () => {
      const { promise: asked, resolve: release } = Promise.withResolvers<void>()
      app.answer = async (request, response) => {
        await asked
        echo(request, response, 0)
      }
      await app.createWorkflow({ crew, expose_mcp: { name: `slow_${era}` } })
      await using mcp = await connectMcp(app, era)
      const first = await mcp.call(`slow_${era}`, { input: 'later', wait_seconds: 0 })
      const handle = first.structuredContent as { run_id: string; status: string; url: string }
      assert.deepEqual(Object.keys(handle), ['run_id', 'status', 'url'])
      assert.equal(handle.url, `${app.url}/runs/${handle.run_id}`)
      assert.match(textOf(first), new RegExp(`run_wait .*${handle.run_id}`))
      const status = await mcp.call('run_status', { run_id: handle.run_id })
      assert.match(String(fieldsOf(status)['status']), /queued|running/)
      release()
      const last = await mcp.call('run_wait', { run_id: handle.run_id })
      assert.equal(textOf(last), 'echo: later')
      const over = await mcp.call('run_wait', { run_id: handle.run_id, wait_seconds: 46 })
      assert.equal(over.isError, true)
      assert.match(textOf(over), /wait_seconds is 46, expected a whole number from 0 to 45/)
    })

    it('reports progress to a client that asks for it', async () => {
      app.answer = echo
      const two = [...crew, { role: 'editor', systemPrompt: 's' }]
      await app.createWorkflow({ crew: two, expose_mcp: { name: `steps_${era}` } })
      await using mcp = await connectMcp(app, era)
      const heard: { progress: number; message?: string | undefined }[] = []
      await mcp.client.callTool(
        { name: `steps_${era}`, arguments: { input: 'x' } },
        { onprogress: (progress) => heard.push(progress) },
      )
      assert.ok(heard.length > 0)
      const numbers = pluck(heard, 'progress')
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].toSorted((a, b) => a - b),
      )
    })

    it('makes one run of repeats with one key, and refuses other arguments', async () => {
      app.answer = echo
      await app.createWorkflow({ crew, expose_mcp: { name: `once_${era}` } })
      await using mcp = await connectMcp(app, era)
      const meta = { 'muster/idempotencyKey': `key ${era}` }
      const call = (args: object) => mcp.call(`once_${era}`, args, meta)
      const made = await Promise.all([
        call({ input: 'a' }),
        call({ input: 'a', wait_seconds: 0 }),
        call({ input: 'a', wait_seconds: 5 }),
      ])
      assert.equal(new Set(made.map((one) => runOf(one).id)).size, 1)
      const other = await call({ input: 'b' })
      assert.equal(other.isError, true)
      assert.match(textOf(other), /was used with other arguments/)
      const again = await call({ input: 'a' })
      assert.equal(runOf(again).id, runOf(made[0]).id)
    })

    it('says who has to approve, and goes on when they have', async () => {
      await at.createWorkflow({ enabled: true }, { expose_mcp: { name: `clerk_${era}` } })
      await using mcp = await connectMcp(app, era)
      app.answer = actOnce(write('hi'))
      const first = await mcp.call(`clerk_${era}`, { input: 'go' })
      const { run_id: runId, pending } = first.structuredContent as {
        run_id: string
        pending: { pending_id: string; kind: string; url: string }
      }
      assert.equal(pending.kind, 'approval')
      assert.equal(pending.url, `${app.url}/inbox/${pending.pending_id}`)
      assert.match(
        textOf(first),
        /waits for approval by an approver, a member,? or an admin, open /,
      )
      assert.ok(textOf(first).includes(pending.url))
      const listed = await mcp.call('inbox_list')
      const data = fieldsOf(listed)['data'] as { pending_id: string }[]
      assert.ok(data.some((one) => one.pending_id === pending.pending_id))
      await app.post(`/v1/runs/${runId}/respond`, { action: 'approve' })
      const last = await mcp.call('run_wait', { run_id: runId })
      assert.match(textOf(last), /^done: /)
    })

    it('answers a question and decides an approval with inbox_answer', async () => {
      await at.createWorkflow({ enabled: true }, { expose_mcp: { name: `asker_${era}` } })
      app.answer = actOnce(ask('Which site?'))
      await using mcp = await connectMcp(app, era)
      const first = await mcp.call(`asker_${era}`, { input: 'go' })
      const pending = fieldsOf(first)['pending'] as { pending_id: string; prompt: string }
      assert.equal(pending.prompt, 'Which site?')
      const { pending_id } = pending
      const answered = await mcp.call('inbox_answer', {
        pending_id,
        action: 'input',
        input: 'Köln',
      })
      assert.equal(fieldsOf(answered)['status'], 'running')
      const last = await mcp.call('run_wait', { run_id: runOf(first).id })
      assert.match(textOf(last), /Köln/)
      const again = await mcp.call('inbox_answer', { pending_id, action: 'input', input: 'x' })
      assert.equal(again.isError, true)
    })

    it('cancels a run, whose call then fails', async () => {
      app.answer = () => {}
      await app.createWorkflow({ crew, expose_mcp: { name: `endless_${era}` } })
      await using mcp = await connectMcp(app, era)
      const first = await mcp.call(`endless_${era}`, { input: 'x', wait_seconds: 0 })
      const { id } = runOf(first)
      const cancelled = await mcp.call('run_cancel', { run_id: id })
      assert.equal(fieldsOf(cancelled)['status'], 'failed')
      const last = await mcp.call('run_wait', { run_id: id })
      assert.deepEqual([last.isError, runOf(last).status], [true, 'failed'])
      assert.match(textOf(last), /cancelled by request/)
    })

    it('never ends a run with its call', async () => {
      const { promise: asked, resolve: release } = Promise.withResolvers<void>()
      app.answer = async (request, response) => {
        await asked
        echo(request, response, 0)
      }
      const workflow = await app.createWorkflow({ crew, expose_mcp: { name: `left_${era}` } })
      const left = new AbortController()
      await using mcp = await connectMcp(app, era)
      const calling = mcp.client.callTool(
        { name: `left_${era}`, arguments: { input: 'still' } },
        { signal: left.signal },
      )
      calling.catch(() => {})
      await app.models.until(() => app.models.requests.at(-1)?.body.includes('still') === true)
      left.abort()
      await assert.rejects(calling)
      release()
      const [run] = await app.get(`/v1/workflows/${workflow}/runs`)
      assert.equal((await app.rest(run.id)).output, 'echo: still')
    })
  })
}

describe('the MCP server', () => {
  it('has a JSON-RPC error and a challenge for a caller without a key', async () => {
    const list = { method: 'tools/list' }
    for (const key of [null, `mst_${'x'.repeat(46)}`]) {
      const response = await postMcp(app.url, key, list)
      assert.equal(response.status, 401)
      const metadata = `${app.url}/.well-known/oauth-protected-resource/mcp`
      assert.equal(
        response.headers.get('www-authenticate'),
        `Bearer resource_metadata="${metadata}", scope="run read"`,
      )
      const { jsonrpc, error } = (await response.json()) as {
        jsonrpc: string
        error: { message: string }
      }
      assert.equal(jsonrpc, '2.0')
      assert.match(error.message, /^Cannot authenticate: /)
    }
  })

  it('refuses a session, a page of another origin, a batch and another method', async () => {
    const list = { method: 'tools/list' }
    const person = await app.join('ada', 'admin')
    const { cookie } = person
    const session = await postMcp(app.url, null, list, { cookie, origin: app.url })
    assert.equal(session.status, 401)
    const page = await postMcp(app.url, app.key, list, { origin: 'https://evil.example' })
    assert.equal(page.status, 403)
    assert.equal((await postMcp(app.url, app.key, list, { origin: app.url })).status, 200)
    const batch = await app.call('POST', '/mcp', { body: [{ jsonrpc: '2.0', id: 1 }] })
    assert.equal(batch.status, 400)
    assert.equal((await app.call('GET', '/mcp')).status, 405)
    assert.equal((await app.call('DELETE', '/mcp')).status, 405)
  })

  it('gives each role its scopes, and changes nothing without them', async () => {
    app.answer = echo
    const id = await app.createWorkflow({ crew, expose_mcp: { name: 'scoped' } })
    const run = await at.start([write('x')])
    app.answer = actOnce(write('x'))
    const keyOf = async (role: string) => (await app.post('/v1/api-keys', { name: role, role })).key
    const call = (key: string, name: string, args: object = {}) =>
      postMcp(app.url, key, { method: 'tools/call', params: { name, arguments: { ...args } } })
    const answer = { pending_id: run.pending.id, action: 'approve' }
    const viewer = await keyOf('viewer')
    const approver = await keyOf('approver')
    for (const key of [viewer, approver]) {
      assert.equal((await call(key, 'run_status', { run_id: run.id })).status, 200)
      const refused = await call(key, 'scoped', { input: 'x' })
      assert.equal(refused.status, 403)
      assert.match(refused.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
      assert.equal((await call(key, 'run_cancel', { run_id: run.id })).status, 403)
    }
    const refused = await call(viewer, 'inbox_answer', answer)
    assert.equal(refused.status, 403)
    assert.match(
      refused.headers.get('www-authenticate') ?? '',
      /error="insufficient_scope", scope="read answer"/,
    )
    assert.equal((await call(await keyOf('worker'), 'inbox_list')).status, 403)
    assert.equal((await app.get(`/v1/runs/${run.id}`)).status, 'waiting_input')
    assert.deepEqual(await app.get(`/v1/workflows/${id}/runs`), [])
    assert.equal((await call(approver, 'inbox_answer', answer)).status, 200)
    assert.equal((await app.rest(run.id)).status, 'completed')
  })

  it('lets a model decide nothing that several people, or another person, have to', async () => {
    await using mcp = await connectMcp(app)
    const several = await at.start([write('x')], { enabled: true, required_approvals: 2 })
    const refused = await mcp.call('inbox_answer', {
      pending_id: several.pending.id,
      action: 'reject',
    })
    assert.match(textOf(refused), /2 people have to approve it/)
    const single = await at.start([write('x')])
    const question = await at.start([ask('Which?')])
    await app.patch('/v1/policies', { four_eyes: true })
    try {
      for (const action of ['approve', 'reject']) {
        const one = await mcp.call('inbox_answer', { pending_id: single.pending.id, action })
        assert.match(textOf(one), /four eyes, so a person has to decide, at http/)
      }
      const answer = { pending_id: question.pending.id, action: 'input', input: 'this' }
      assert.equal((await mcp.call('inbox_answer', answer)).isError, undefined)
    } finally {
      await app.patch('/v1/policies', { four_eyes: false })
    }
    for (const { id } of [several, single]) {
      assert.equal((await app.get(`/v1/runs/${id}`)).status, 'waiting_input')
    }
  })

  it('shows and changes nothing of another account', async () => {
    app.answer = echo
    await app.createWorkflow({ crew, expose_mcp: { name: 'private' } })
    const run = await at.start([write('x')])
    const { adminKey: key } = await createAccount(app.database, 'stranger')
    await using mcp = await connectMcp({ url: app.url, key })
    const { tools } = await mcp.client.listTools()
    assert.equal(tools.length, 5)
    await assert.rejects(mcp.call('private', { input: 'x' }), /Unknown tool: private/)
    for (const name of ['run_status', 'run_wait', 'run_cancel']) {
      const result = await mcp.call(name, { run_id: run.id })
      assert.equal(result.isError, true)
      assert.match(textOf(result), /no run run_/)
    }
    assert.deepEqual(fieldsOf(await mcp.call('inbox_list'))['data'], [])
    const answer = { pending_id: run.pending.id, action: 'approve' }
    assert.equal((await mcp.call('inbox_answer', answer)).isError, true)
    assert.equal((await app.get(`/v1/runs/${run.id}`)).status, 'waiting_input')
  })

  it('answers with a protocol error that shows nothing of the service', async () => {
    const list = async (cursor: string) => {
      const response = await postMcp(app.url, app.key, { method: 'tools/list', params: { cursor } })
      return ((await response.json()) as { error: { code: number; message: string } }).error
    }
    const odd = await list('§')
    assert.deepEqual(
      [odd.code, odd.message],
      [-32_602, 'Cannot list tools: cursor is not one that a page of this list ended with'],
    )
    await app.sql`alter table workflows rename to workflows_away`
    try {
      const { code, message } = await list(Buffer.from('a').toString('base64url'))
      assert.equal(code, -32_603)
      assert.doesNotMatch(message, /workflows/)
      const params = { name: 'any', arguments: {} }
      const called = await postMcp(app.url, app.key, { method: 'tools/call', params })
      assert.doesNotMatch(await called.text(), /workflows/)
    } finally {
      await app.sql`alter table workflows_away rename to workflows`
    }
  })

  it('says what is wrong with arguments, and starts nothing', async () => {
    const workflow = await app.createWorkflow({ crew, expose_mcp: { name: 'strict' } })
    await using mcp = await connectMcp(app)
    const wrong: [object, RegExp][] = [
      [{}, /input is missing/],
      [{ input: 'x', other: 1 }, /other is no parameter/],
      [{ input: 'x', wait_seconds: 1.5 }, /wait_seconds is 1.5/],
      [{ input: 'x', wait_seconds: 46 }, /wait_seconds is 46/],
    ]
    for (const [args, why] of wrong) {
      const result = await mcp.call('strict', args)
      assert.deepEqual([result.isError, why.test(textOf(result))], [true, true], textOf(result))
    }
    await app.patch(`/v1/workflows/${workflow}`, { status: 'paused' })
    const paused = await mcp.call('strict', { input: 'x' })
    assert.match(textOf(paused), /the workflow is paused/)
    assert.deepEqual(await app.get(`/v1/workflows/${workflow}/runs`), [])
  })
})
