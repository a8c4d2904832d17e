import { createServer, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { closeServer, listenOnLoopback } from './loopback.ts'

/**
 * For tests: an MCP server over Streamable HTTP that counts calls. `write` takes a text and is
 * sensitive unless an admin says otherwise; `read` returns a text.
 */
export interface McpSink extends AsyncDisposable {
  url: string
  /** Calls of tools that arrived, in order. */
  calls: { tool: string; input: Record<string, unknown>; idempotencyKey: string }[]
  /** Handles a call after it was counted, for example to hang or break. */
  onCall: ((response: ServerResponse, answer: () => void, id?: number) => void) | undefined
  /** The result of `read`. */
  text: string
  /** The listed tools. */
  tools: { name: string; description: string; inputSchema: object }[]
}

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const listed = [
  { name: 'write', description: 'Writes a text.', inputSchema: text },
  { name: 'read', description: 'Reads a text.', inputSchema: { type: 'object', properties: {} } },
]

/** An agent that may use all its tools if it is connected as `sink`. */
export const clerk = {
  name: 'Clerk',
  role: 'clerk',
  systemPrompt: 'act',
  connectors: ['sink'],
  capabilities: ['sink.write', 'sink.read'],
}

interface Message {
  id?: number
  method: string
  params?: {
    name: string
    arguments?: Record<string, unknown>
    protocolVersion?: string
    _meta?: Record<string, string>
  }
}

export async function startMcpSink(): Promise<McpSink> {
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const message = JSON.parse(body) as Message
      if (message.id === undefined) return void response.writeHead(202).end()
      const answer = (): void => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const result = resultOf(message, sink)
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
      }
      if (message.method !== 'tools/call') return answer()
      const { name: tool = '', arguments: input = {}, _meta } = message.params ?? {}
      sink.calls.push({ tool, input, idempotencyKey: _meta?.['muster/idempotencyKey'] ?? '' })
      if (sink.onCall === undefined) answer()
      else sink.onCall(response, answer, message.id)
    })
  })
  const port = await listenOnLoopback(server)
  const sink: McpSink = {
    url: `http://127.0.0.1:${port}/mcp`,
    calls: [],
    onCall: undefined,
    text: 'nothing',
    tools: listed,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
  return sink
}

function resultOf({ method, params }: Message, sink: McpSink): unknown {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'sink', version: '1.0.0' },
      }
    case 'tools/list':
      return { tools: sink.tools }
    case 'tools/call': {
      const said =
        params?.name === 'read' ? sink.text : `written: ${String(params?.arguments?.['text'])}`
      return { content: [{ type: 'text', text: said }] }
    }
    default:
      return {}
  }
}
