import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, it } from 'node:test'
import { startTestMcpServer, type TestMcpServer } from '../../../rig/mcp-server.ts'
import { until } from '../../../rig/until.ts'
import { callMcpTool, listMcpTools } from './client.ts'
import { McpSessions, type SessionOwner } from './sessions.ts'
import { createTestTools, type TestTools } from '../test-services.ts'
import { testLimits } from '../../start/test-limits.ts'

let tools: TestTools
before(() => {
  tools = createTestTools()
})
after(() => tools[Symbol.asyncDispose]())

interface Stage extends AsyncDisposable {
  server: TestMcpServer
  sessions: McpSessions
  call(owner?: Partial<SessionOwner>, onProgress?: () => void): Promise<string>
}

let made = 0

async function stage(limits = {}): Promise<Stage> {
  const server = await startTestMcpServer()
  const services = { ...tools.services, limits: testLimits() }
  const [echo] = await listMcpTools(services, { url: server.url, headers: {} })
  assert.ok(echo !== undefined)
  server.calls = []
  server.methods = []
  const sessions = new McpSessions(services, limits)
  return {
    server,
    sessions,
    async call(owner = {}, onProgress = () => {}) {
      const idempotencyKey = `call_${++made}`
      const options = { idempotencyKey, signal: new AbortController().signal, onProgress }
      const { result } = await callMcpTool(
        sessions,
        { url: server.url, headers: {} },
        echo,
        { text: 'hi' },
        options,
        {
          accountId: 'acc_1',
          runId: 'run_1',
          attempt: 1,
          callId: idempotencyKey,
          connectorId: 'notes',
          version: 'v1',
          hasOtherCalls: async () => false,
          ...owner,
        },
      )
      return `${result.status}: ${result.output}`
    },
    async [Symbol.asyncDispose]() {
      await sessions[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

const sessionsOf = ({ server }: Stage) => server.calls.map(({ session }) => session)

it('calls of a run share one session, which ends with the run', async () => {
  await using at = await stage()
  await Promise.all([at.call(), at.call()])
  await at.call()
  await at.call({ runId: 'run_2' })
  const [first, ...others] = sessionsOf(at)
  assert.deepEqual(others.slice(0, 2), [first, first])
  assert.notEqual(others[2], first)
  assert.equal(at.server.methods.filter((method) => method === 'initialize').length, 2)
  at.sessions.end('run_1')
  await until('it is closed', 5_000, () => at.server.methods.includes('DELETE'))
})

it('a session that the server lost is begun anew, once, and the agent is told', async () => {
  await using at = await stage()
  const made = { hasOtherCalls: async () => true }
  await at.call()
  at.server.sessions.clear()
  const told = await at.call(made)
  assert.match(told, /^succeeded: \[The session with this MCP server was lost.*\n\nhi$/s)
  assert.equal(at.server.calls.length, 2, 'each call arrived once')
  assert.equal(await at.call(made), 'succeeded: hi', 'it is told once')
  at.server.intercept = (request, response) => {
    if (request.headers['mcp-session-id'] === undefined) return false
    response.writeHead(404).end('Session not found')
    return true
  }
  at.server.methods = []
  assert.match(await at.call(made), /^failed: .*404/)
})

it('a run that another process executed meanwhile gets a new session', async () => {
  await using at = await stage()
  await at.call()
  const asked: (readonly string[])[] = []
  const elsewhere = async (ids: readonly string[]) => {
    asked.push(ids)
    return true
  }
  assert.equal(await at.call({ attempt: 2 }), 'succeeded: hi', 'it came back here')
  assert.match(await at.call({ attempt: 3, hasOtherCalls: elsewhere }), /was lost/)
  assert.equal(asked[0]?.length, 2, 'its own calls do not count')
  const [first, second, third] = sessionsOf(at)
  assert.equal(second, first)
  assert.notEqual(third, first)
})

it('idle sessions are closed after a time, and where an account has too many', async () => {
  await using at = await stage({ idlePerAccount: 2 })
  for (const runId of ['run_1', 'run_2', 'run_3', 'run_1']) await at.call({ runId })
  assert.equal(new Set(sessionsOf(at)).size, 4, 'the first run had lost its session')
  await using brief = await stage({ idleMs: 1 })
  await brief.call()
  await until('it is closed', 5_000, () => brief.server.methods.includes('DELETE'))
})

it('fields that are null count as left out, and a call that was answered is done', async () => {
  await using at = await stage()
  at.server.onCall = () => ({
    content: [{ type: 'text', text: 'done', annotations: null }, null],
    structuredContent: null,
    isError: null,
    _meta: null,
  })
  assert.equal(await at.call(), 'succeeded: done\n[content of an unknown kind]')
  at.server.tools = [{ ...at.server.tools[0], annotations: null, title: null } as never]
  assert.match(await at.call(), /^succeeded/)
})

it('structured content stands beside the text, its numbers as they were written', async () => {
  await using at = await stage()
  at.server.onCall = (params, response) => {
    const id = 12_345_678_901_234_567_890n
    const result = `{"content":[{"type":"text","text":"found"}],"structuredContent":{"id":${id},"rate":1.5}}`
    response.writeHead(200, { 'content-type': 'application/json' })
    const request = String(params._meta?.['progressToken'])
    response.end(`{"jsonrpc":"2.0","id":${request},"result":${result}}`)
    return undefined
  }
  assert.equal(await at.call(), 'succeeded: found\n{"id":12345678901234567890,"rate":1.5}')
  at.server.onCall = () => ({
    content: [{ type: 'text', text: '{"a": 1}' }],
    structuredContent: { a: 1 },
  })
  assert.equal(await at.call(), 'succeeded: {"a": 1}', 'what says the same is said once')
})

it('an answer that is fetched later is waited for, by its last event', async () => {
  await using at = await stage()
  let id: unknown
  at.server.intercept = (request, response) => {
    const last = request.headers['last-event-id']
    if (last === undefined) return false
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (last === 'e1') response.end('id: e2\nretry: 1\ndata: \n\n')
    else {
      const result = { content: [{ type: 'text', text: 'late' }] }
      response.end(`id: e3\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    }
    return true
  }
  at.server.onCall = (params, response) => {
    id = params._meta?.['progressToken']
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('id: e1\nretry: 1\ndata: \n\n')
    return undefined
  }
  assert.equal(await at.call(), 'succeeded: late')
  assert.equal(at.server.calls.length, 1)
  at.server.intercept = (request, response) => {
    if (request.headers['last-event-id'] === undefined) return false
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('id: e1\nretry: 1\ndata: \n\n')
    return true
  }
  assert.match(await at.call(), /^unknown: .*ended without a result/, 'a bounded number of times')
})

it('progress is passed on', async () => {
  await using at = await stage()
  at.server.onCall = (params, response) => {
    const progressToken = params._meta?.['progressToken']
    const progress = { method: 'notifications/progress', params: { progressToken, progress: 1 } }
    const result = { content: [{ type: 'text', text: 'done' }] }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...progress })}\n\n`)
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: progressToken, result })}\n\n`)
    return undefined
  }
  let reports = 0
  assert.equal(await at.call({}, () => reports++), 'succeeded: done')
  assert.equal(reports, 1)
})

it('what a server asks on its own stream is refused at once', async () => {
  await using at = await stage()
  const own = Promise.withResolvers<ServerResponse>()
  const answered = Promise.withResolvers<unknown>()
  at.server.intercept = (request, response) => {
    if (request.method !== 'GET') return false
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    own.resolve(response)
    return true
  }
  at.server.onMessage = (message) => {
    if (message.id === 'ask') answered.resolve(message)
  }
  at.server.onCall = (params, response) => {
    const ask = { jsonrpc: '2.0', id: 'ask', method: 'elicitation/create', params: {} }
    void own.promise.then((stream) => stream.write(`data: ${JSON.stringify(ask)}\n\n`))
    void answered.promise.then(() => {
      const result = { content: [{ type: 'text', text: 'went on' }] }
      const id = params._meta?.['progressToken']
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
    return undefined
  }
  assert.equal(await at.call(), 'succeeded: went on')
  assert.equal(((await answered.promise) as { error: { code: number } }).error.code, -32601)
  ;(await own.promise).destroy()
})
