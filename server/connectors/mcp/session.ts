import type * as McpClient from '@modelcontextprotocol/client'
import type { Client, jsonSchemaValidator } from '@modelcontextprotocol/client'
import type { LRUCache } from 'lru-cache'
import type { Limits } from '../../limits.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { version } from '../../version.ts'
import { Exchange, type ExchangeOptions } from './exchange.ts'
import { createMcpFetch, headersFor } from './fetch.ts'
import { tasksExtension } from './task-message.ts'

/**
 * A connection to an MCP server over Streamable HTTP, including the server's session. Nothing that
 * a server says about itself is trusted; it cannot send requests to the client or redirect it.
 */
export interface McpServer {
  url: string
  headers: Record<string, string>
  /** Access token of the account or the person that the server is used for. */
  bearer?: string | undefined
  /** The account that owns the connection, for its traffic limits. */
  accountId?: string
}

/** What the client needs of the process. */
export interface McpServices {
  outbound: Outbound
  sandbox: Sandbox
  limits: Pick<Limits, 'mcpStreams'>
  /** Servers that were found to speak a protocol before 2026-07-28, so that they are not asked each time. */
  earlier?: Pick<LRUCache<string, true>, 'get' | 'set' | 'delete'>
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

/**
 * How long a server may take to say whether it speaks 2026-07-28. Some servers of earlier protocols never answer an
 * unknown method.
 */
const probeTimeoutMs = 5_000

/**
 * Negotiates the newest protocol that both sides speak, 2026-07-28 or one back to 2025-03-26. Rejects when `exchange`
 * fails, or with the client library's error.
 */
export async function openMcpSession(
  services: McpServices,
  server: McpServer,
  exchange: Exchange,
): Promise<McpSession> {
  const { earlier } = services
  await checkAddress(services.outbound, server)
  if (earlier?.get(server.url) !== true) {
    const timeoutMs = Math.min(exchange.timeoutMs, probeTimeoutMs)
    const { signal, bearer } = exchange
    try {
      const session = await connect(
        services,
        server,
        new Exchange({ signal, timeoutMs, bearer }),
        'auto',
      )
      if (session.isLegacy) earlier?.set(server.url, true)
      return session
    } catch (error) {
      if (exchange.signal.aborted || !(await mayBeEarlier(error))) throw error
    }
  }
  // Servers of earlier protocols fail in many ways at a method that they do not know.
  try {
    return await connect(services, server, exchange, 'legacy')
  } catch (error) {
    earlier?.delete(server.url)
    throw error
  }
}

/** Whether a failed negotiation may be due to an earlier protocol rather than to the address or the login. */
async function mayBeEarlier(error: unknown): Promise<boolean> {
  if (error instanceof OutboundError) return ['closed', 'timeout', 'protocol'].includes(error.kind)
  const { SdkHttpError } = await loadClient()
  return !(error instanceof SdkHttpError) || ![401, 403, 429].includes(error.status ?? 0)
}

async function connect(
  services: McpServices,
  server: McpServer,
  exchange: Exchange,
  mode: 'auto' | 'legacy',
): Promise<McpSession & { isLegacy: boolean }> {
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
    {
      capabilities: { extensions: { [tasksExtension]: {} } },
      versionNegotiation: { mode, probe: { timeoutMs: probeTimeoutMs } },
      jsonSchemaValidator: trusting,
    },
  )
  let { bearer } = exchange
  const close = async (): Promise<void> => {
    const { sessionId, protocolVersion } = transport
    await client.close().catch(() => undefined)
    ended.abort()
    if (sessionId === undefined) return
    const spoken = protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion }
    await outbound
      .request(server.url, {
        method: 'DELETE',
        headers: { 'mcp-session-id': sessionId, ...spoken, ...headersFor(server, bearer) },
        timeoutMs: closeTimeoutMs,
        maxResponseBytes: 1024,
        allowHttp: true,
      })
      .catch(() => undefined)
  }
  try {
    await exchange.run(() => client.connect(transport, { signal: exchange.signal }))
  } catch (error) {
    void close()
    throw error
  }
  return {
    isStateful: transport.sessionId !== undefined,
    isLegacy: client.getProtocolEra() === 'legacy',
    run: async (options, work) => {
      await checkAddress(outbound, server)
      const own = new Exchange(options)
      bearer = own.bearer
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
