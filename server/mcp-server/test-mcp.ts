import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientCapabilities,
} from '@modelcontextprotocol/client'

/** The newest protocol, and that before it. */
export type Era = 'modern' | 'legacy'
export const eras: Era[] = ['modern', 'legacy']

export interface TestClient extends AsyncDisposable {
  client: Client
  call: (name: string, args?: object, meta?: object) => Promise<CallToolResult>
}

/** The official client, connected to the MCP server of a service. */
export async function connectMcp(
  { url, key }: { url: string; key: string },
  era: Era = 'modern',
  capabilities: ClientCapabilities = {},
): Promise<TestClient> {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode } },
  )
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }),
  )
  return {
    client,
    call: (name, args = {}, meta) =>
      client.callTool({
        name,
        arguments: { ...args },
        ...(meta && { _meta: { ...meta } }),
      }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** A request at `/mcp` of the newest protocol, without a client library. */
export async function postMcp(
  url: string,
  key: string | null,
  message: { method: string; params?: Record<string, unknown> },
  headers: Record<string, string> = {},
  capabilities: object = {},
): Promise<Response> {
  const { method, params = {} } = message
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...(params['_meta'] as object | undefined),
  }
  const name = params['name'] ?? params['taskId']
  return fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
}
