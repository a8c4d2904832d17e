import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { echoTool, startTestMcpServer } from '../../../rig/mcp-server.ts'
import { testLimits } from '../../start/test-limits.ts'
import { createTestTools, idempotencyKey, type TestTools } from '../test-services.ts'
import { callMcpTool, listMcpTools } from './client.ts'
import { findBadHeader } from './header-arguments.ts'
import type { PinnedTool } from './pins.ts'
import { McpSessions } from './sessions.ts'

let tools: TestTools
let sessions: McpSessions
before(() => {
  tools = createTestTools()
  sessions = new McpSessions({ ...tools.services, limits: testLimits() })
})
after(() => tools[Symbol.asyncDispose]())

const list = (url: string) =>
  listMcpTools({ ...tools.services, limits: testLimits() }, { url, headers: {} })
const call = async (
  url: string,
  tool: PinnedTool | undefined,
  { signal = new AbortController().signal, onProgress = () => {} } = {},
) => {
  assert.ok(tool !== undefined)
  const options = { idempotencyKey, signal, onProgress }
  return callMcpTool(sessions, { url, headers: {} }, tool, { text: 'hi' }, options)
}

describe('a protocol', () => {
  it('of 2026-07-28 is spoken without a session, with its metadata in each request', async () => {
    await using server = await startTestMcpServer()
    server.isModern = true
    const [echo] = await list(server.url)
    assert.deepEqual((await call(server.url, echo)).result, { status: 'succeeded', output: 'hi' })
    assert.ok(!server.methods.includes('initialize') && !server.methods.includes('DELETE'))
    const [sent] = server.calls
    assert.equal(sent?.headers['mcp-protocol-version'], '2026-07-28')
    assert.equal(sent?.headers['mcp-method'], 'tools/call')
    assert.equal(sent?.headers['mcp-name'], 'echo')
    const meta = sent?.params._meta ?? {}
    assert.equal(meta['io.modelcontextprotocol/protocolVersion'], '2026-07-28')
    assert.equal(meta['muster/idempotencyKey'], idempotencyKey)
  })

  it('of 2025 is found, whatever such a server answers to an unknown method, and remembered', async () => {
    const answers: [number, string][] = [
      [200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not initialized"}}'],
      [400, '{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no session"}}'],
      [404, 'not found'],
      [500, 'oops'],
      [200, '<p>'],
    ]
    for (const [status, body] of answers) {
      await using server = await startTestMcpServer()
      server.intercept = (request, response) => {
        if (request.headers['mcp-method'] !== 'server/discover') return false
        response.writeHead(status, {
          'content-type': body === '<p>' ? 'text/html' : 'application/json',
        })
        response.end(body)
        return true
      }
      const [echo] = await list(server.url)
      assert.equal((await call(server.url, echo)).result.output, 'hi', body)
    }
    await using server = await startTestMcpServer()
    const [echo] = await list(server.url)
    await call(server.url, echo)
    server.methods = []
    await call(server.url, echo)
    assert.ok(!server.methods.includes('server/discover'), 'it is not asked each time')
  })
})

describe('a tool that runs as a task', () => {
  const required = { ...echoTool, execution: { taskSupport: 'required' as const } }

  for (const isModern of [true, false]) {
    const task = (fields: object) => ({ taskId: 't1', createdAt: '', lastUpdatedAt: '', ...fields })
    const created = (fields: object) =>
      isModern
        ? { resultType: 'task', ttlMs: null, pollIntervalMs: 50, ...task(fields) }
        : { task: { ttl: null, pollInterval: 50, ...task(fields) } }
    const protocol = isModern ? '2026-07-28' : '2025-11-25'

    it(`is polled until it ends, with ${protocol}`, async () => {
      await using server = await startTestMcpServer()
      server.isModern = isModern
      server.tools = [required]
      const [echo] = await list(server.url)
      server.onCall = (params) => {
        assert.equal('task' in params, !isModern, 'the client asks for a task where it decides')
        return created({ status: 'working' })
      }
      let polls = 0
      const result = { content: [{ type: 'text', text: 'later' }], isError: false }
      server.onTask = (method) => {
        if (method === 'tasks/result') return result
        if (++polls < 3) return task({ status: 'working' })
        return task({ status: 'completed', ...(isModern && { result }) })
      }
      let progress = 0
      const { result: made } = await call(server.url, echo, { onProgress: () => progress++ })
      assert.deepEqual(made, { status: 'succeeded', output: 'later' })
      assert.ok(progress >= 3, 'each poll shows that the server works')
      assert.equal(server.calls.length, 1)
    })

    it(`has failed where its task has, and is unknown where its end is not seen, with ${protocol}`, async () => {
      await using server = await startTestMcpServer()
      server.isModern = isModern
      server.tools = [required]
      const [echo] = await list(server.url)
      server.onCall = () => created({ status: 'working' })
      server.onTask = () =>
        task({
          status: 'failed',
          statusMessage: 'no seat left',
          error: { code: 1, message: 'no seat left' },
        })
      const failed = (await call(server.url, echo)).result
      assert.deepEqual(failed, {
        status: 'failed',
        output: 'The call failed: its task failed: no seat left',
      })
      server.onTask = (method) => (method === 'tasks/get' ? task({ status: 'input_required' }) : {})
      const asking = (await call(server.url, echo)).result
      assert.match(asking.output, /asks a person for input/)
      assert.ok(server.methods.includes('tasks/cancel'))
      server.onTask = () => ({ rpcError: { code: -32602, message: 'No such task' } })
      assert.equal((await call(server.url, echo)).result.status, 'unknown')
      server.onTask = () => task({ status: 'working' })
      const ending = new AbortController()
      const late = call(server.url, echo, {
        signal: ending.signal,
        onProgress: () => ending.abort(),
      })
      assert.equal((await late).result.status, 'unknown')
      assert.equal(server.calls.length, 4, 'no call is made twice')
    })
  }
})

it('arguments that a server wants in headers are sent, and a tool with an invalid one is refused', async () => {
  await using server = await startTestMcpServer()
  server.isModern = true
  const text = { type: 'string', 'x-mcp-header': 'Text' }
  server.tools = [{ ...echoTool, inputSchema: { type: 'object', properties: { text } } }]
  const [echo] = await list(server.url)
  await call(server.url, echo)
  assert.equal(server.calls[0]?.headers['mcp-param-text'], 'hi')
  const bad: [object, RegExp][] = [
    [{ properties: { a: { type: 'number', 'x-mcp-header': 'A' } } }, /a is no text, whole number/],
    [{ properties: { a: { type: 'string', 'x-mcp-header': 'A B' } } }, /a names no header/],
    [{ properties: { a: text, b: { ...text, 'x-mcp-header': 'TEXT' } } }, /two arguments/],
    [{ properties: { a: { type: 'array', items: text } } }, /only properties/],
    [{ $defs: { a: { properties: { b: text } } } }, /only properties/],
    [{ 'x-mcp-header': 'A', type: 'object' }, /only properties/],
  ]
  for (const [schema, why] of bad) assert.match(findBadHeader(schema) ?? '', why)
  const nested = { properties: { a: { type: 'object', properties: { text } } } }
  assert.equal(findBadHeader(nested), undefined)
  assert.equal(findBadHeader({ properties: { a: { const: { 'x-mcp-header': 1 } } } }), undefined)
})
