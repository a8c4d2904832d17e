import type * as McpClient from '@modelcontextprotocol/client'
import type { Client, jsonSchemaValidator } from '@modelcontextprotocol/client'
import type { Limits } from '../../limits.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { version } from '../../version.ts'
import { Exchange, type ExchangeOptions } from './exchange.ts'
import { createMcpFetch } from './fetch.ts'

/**
 * A connection to an MCP server over Streamable HTTP, including the server's session. Nothing that
 * a server says about itself is trusted; it cannot send requests to the client or redirect it.
 */
export interface McpServer {
  url: string
  headers: Record<string, string>
  /** The account that owns the connection, for its traffic limits. */
  accountId?: string
}

/** What the client needs of the process. */
export interface McpServices {
  outbound: Outbound
  sandbox: Sandbox
  limits: Pick<Limits, 'mcpStreams'>
}

export interface McpSession {
  /** The server gave the session an id, so it may remember earlier calls. */
  isStateful: boolean
  run<T>(
    options: ExchangeOptions,
    work: (client: Client, exchange: Exchange) => Promise<T>,
  ): Promise<T>
  /** Ends the server's session; resolves after the attempt. */
  close(): Promise<void>
}

/** Loaded for the first server, because many deployments use none. */
export const loadClient = (): Promise<typeof McpClient> => import('@modelcontextprotocol/client')

const closeTimeoutMs = 5_000

/** Rejects when `exchange` fails, or with the client library's error. */
export async function openMcpSession(
  services: McpServices,
  server: McpServer,
  exchange: Exchange,
): Promise<McpSession> {
  const { outbound } = services
  const { Client, StreamableHTTPClientTransport } = await loadClient()
  const ended = new AbortController()
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: createMcpFetch(services, server, ended.signal),
    // For resumed responses; `maxResumes` limits each call.
    reconnectionOptions: {
      maxRetries: 10,
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 5_000,
      reconnectionDelayGrowFactor: 1.5,
    },
  })
  const client = new Client(
    { name: 'muster', version },
    { capabilities: {}, jsonSchemaValidator: trusting },
  )
  const close = async (): Promise<void> => {
    const { sessionId, protocolVersion } = transport
    await client.close().catch(() => undefined)
    ended.abort()
    if (sessionId === undefined) return
    const spoken = protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion }
    await outbound
      .request(server.url, {
        method: 'DELETE',
        headers: { 'mcp-session-id': sessionId, ...spoken, ...server.headers },
        timeoutMs: closeTimeoutMs,
        maxResponseBytes: 1024,
        allowHttp: true,
      })
      .catch(() => undefined)
  }
  try {
    await checkAddress(outbound, server)
    await exchange.run(() => client.connect(transport, { signal: exchange.signal }))
  } catch (error) {
    void close()
    throw error
  }
  return {
    isStateful: transport.sessionId !== undefined,
    run: async (options, work) => {
      await checkAddress(outbound, server)
      const own = new Exchange(options)
      return own.run(() => work(client, own))
    },
    close,
  }
}

async function checkAddress(outbound: Outbound, { url }: McpServer): Promise<void> {
  const refusal = await outbound.check(url, { allowHttp: 'inside' })
  if (refusal !== undefined) throw new OutboundError('refused_address', `url ${refusal}`)
}

// A tool's result is text for a model, not trusted data, so the servers' output schemas need not be
// compiled.
const trusting: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}
