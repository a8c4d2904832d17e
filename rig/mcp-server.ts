import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { startReceiver } from './receiver.ts'

/** For tests only: an MCP server on loopback that behaves as a test says, even incorrectly. */
export interface TestMcpServer extends AsyncDisposable {
  url: string
  tools: ToolDefinition[]
  /** Calls of `tools/call`, with their headers. */
  calls: { params: CallParams; headers: IncomingMessage['headers']; session: string }[]
  /** Handles a call of a tool: returns the result, or handles the response itself. */
  onCall: (params: CallParams, response: ServerResponse) => object | undefined
  /** Sees every request first; true if it has answered. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Called with each posted message. */
  onMessage: (message: { id?: unknown; method?: string }) => void
  /** Tools per page of the list. */
  pageSize: number
  /** Names of the methods that were called. */
  methods: string[]
  /** Speaks protocol 2026-07-28 alone: without sessions, and each result says what it is. */
  isModern: boolean
  /** Answers requests about tasks. */
  onTask: (method: string, params: { taskId: string }) => object
  /** Ids of known sessions; others get a 404. */
  sessions: Set<string>
}

export interface ToolDefinition {
  name: string
  description?: string
  inputSchema: object
  annotations?: object
  execution?: { taskSupport: 'forbidden' | 'optional' | 'required' }
}

interface CallParams {
  name: string
  arguments: Record<string, unknown>
  _meta?: Record<string, unknown>
}

export const echoTool: ToolDefinition = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
}

export async function startTestMcpServer(): Promise<TestMcpServer> {
  const receiver = await startReceiver(async (request, response) => {
    const body = await text(request)
    if (server.intercept(request, response)) return
    const session = request.headers['mcp-session-id']
    if (typeof session === 'string' && !server.sessions.has(session)) {
      response.writeHead(404).end('Session not found')
      return
    }
    if (request.method !== 'POST') {
      server.methods.push(String(request.method))
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
      return
    }
    const message = JSON.parse(body)
    server.onMessage(message)
    server.methods.push(message.method)
    if (message.method === undefined) return void response.writeHead(202).end()
    const result = answerTo(message, request, response)
    if (result === undefined) return
    if (message.id === undefined) response.writeHead(202).end()
    else {
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(message.method === 'initialize' ? { 'mcp-session-id': begin() } : {}),
      })
      const said = server.isModern ? { resultType: 'complete', ...result } : result
      const answer = 'rpcError' in result ? { error: result.rpcError } : { result: said }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }))
    }
  })

  let begun = 0
  function begin(): string {
    const id = `session-${++begun}`
    server.sessions.add(id)
    return id
  }

  function answerTo(
    {
      method,
      params,
    }: { method: string; params: CallParams & { protocolVersion?: string; cursor?: string } },
    request: IncomingMessage,
    response: ServerResponse,
  ): object | undefined {
    const unknown = { rpcError: { code: -32601, message: 'Method not found' } }
    switch (method) {
      case 'server/discover':
        if (!server.isModern) return unknown
        return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
      case 'tasks/get':
      case 'tasks/result':
      case 'tasks/cancel':
        return server.onTask(method, params as unknown as { taskId: string })
      case 'initialize':
        if (server.isModern) return unknown
        return {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'test', version: '1' },
        }
      case 'tools/list':
        return pageOf(server, Number(params?.cursor ?? 0))
      case 'tools/call':
        server.calls.push({
          params,
          headers: request.headers,
          session: String(request.headers['mcp-session-id']),
        })
        return server.onCall(params, response)
      default:
        return {}
    }
  }

  const server: TestMcpServer = {
    url: `http://mcp.test:${receiver.port}/mcp`,
    tools: [echoTool],
    calls: [],
    onCall: ({ arguments: input }) => ({ content: [{ type: 'text', text: input['text'] }] }),
    intercept: () => false,
    onMessage: () => {},
    pageSize: Infinity,
    methods: [],
    isModern: false,
    onTask: () => ({ rpcError: { code: -32602, message: 'No such task' } }),
    sessions: new Set(),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
  return server
}

function pageOf({ tools, pageSize }: TestMcpServer, from: number): object {
  const end = from + pageSize
  const next = end < tools.length ? { nextCursor: String(end) } : {}
  return { tools: tools.slice(from, end), ...next }
}
