import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { complete, echo, startTestApp } from '../../test/test-app.ts'
import { connectMcp } from './test-mcp.ts'

const app = fixture(() => startTestApp())
const crew = [{ role: 'writer', systemPrompt: 's' }]
const textOf = ({ content }: { content: unknown[] }) => (content[0] as { text: string }).text
const handleOf = ({ structuredContent }: { structuredContent?: unknown }) =>
  structuredContent as { run_id: string; status: string; url: string }

describe('a tool of a workflow that takes threads', () => {
  it('goes on with the conversation of the same name', async () => {
    app.answer = echo
    const workflow_id = await app.createWorkflow({ crew, thread: {}, expose_mcp: { name: 'talk' } })
    await app.createWorkflow({ crew, expose_mcp: { name: 'single' } })
    await using mcp = await connectMcp(app)
    const { tools } = await mcp.client.listTools()
    const withThread = tools.filter(
      ({ inputSchema: { properties } }) => 'thread' in (properties ?? {}),
    )
    assert.deepEqual(pluck(withThread, 'name'), ['talk'])

    const first = await mcp.call('talk', { input: 'My name is Ada.', thread: 'customer-17' })
    assert.equal(textOf(first), 'echo: My name is Ada.')
    const meta = { 'muster/idempotencyKey': 'second' }
    const second = { input: 'What is my name?', thread: 'customer-17' }
    await mcp.call('talk', second, meta)
    await mcp.call('talk', second, meta)
    await mcp.call('talk', { input: 'alone' })
    const threads = await app.get(`/v1/threads?workflow_id=${workflow_id}`)
    assert.deepEqual(pluck(threads, 'key'), ['customer-17'])
    assert.equal(threads[0].turns, 2)
    const asked = app.models.requests.find(({ body }) => body.includes('What is my name?'))
    assert.match(asked?.body ?? '', /My name is Ada/)
    const refused = await mcp.call('single', { input: 'x', thread: 'a' })
    assert.match(textOf(refused), /thread is no parameter of the tool/)
    const odd = await mcp.call('talk', { input: 'x', thread: '' })
    assert.match(textOf(odd), /thread is no name of 1 to 200 characters/)
  })

  it('answers with a handle while the turn before is in progress', async () => {
    const { promise: asked, resolve: release } = Promise.withResolvers<void>()
    app.answer = async (request, response) => {
      await asked
      echo(request, response)
    }
    await app.createWorkflow({ crew, thread: {}, expose_mcp: { name: 'line' } })
    await using mcp = await connectMcp(app)
    const first = handleOf(await mcp.call('line', { input: 'one', thread: 't', wait_seconds: 1 }))
    const result = await mcp.call('line', { input: 'two', thread: 't', wait_seconds: 0 })
    const second = handleOf(result)
    assert.equal(second.status, 'queued')
    assert.match(second.url, /\/threads\/thr_/)
    assert.match(textOf(result), /The message waits for its turn/)
    release()
    assert.equal(textOf(await mcp.call('run_wait', { run_id: first.run_id })), 'echo: one')
    const [thread] = await app.get('/v1/threads?key=t')
    const third = await mcp.call('line', { input: 'three', thread: 't' })
    assert.equal(textOf(third), 'echo: three')
    assert.equal(textOf(await mcp.call('run_wait', { run_id: second.run_id })), 'echo: two')
    assert.equal((await app.get(`/v1/threads/${thread.id}`)).turns, 3)
  })

  it('starts nothing in a closed conversation', async () => {
    app.answer = (_request, response) => complete(response, 'done')
    await app.createWorkflow({ crew, thread: {}, expose_mcp: { name: 'closing' } })
    await using mcp = await connectMcp(app)
    await mcp.call('closing', { input: 'x', thread: 'over' })
    const [thread] = await app.get('/v1/threads?key=over')
    await app.patch(`/v1/threads/${thread.id}`, { status: 'closed' })
    const refused = await mcp.call('closing', { input: 'y', thread: 'over' })
    assert.equal(refused.isError, true)
    assert.match(textOf(refused), /the thread is closed/)
  })
})
