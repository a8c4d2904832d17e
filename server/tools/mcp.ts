import type { Client, jsonSchemaValidator } from '@modelcontextprotocol/client'
import type { Outbound } from '../outbound/outbound.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import { version } from '../version.ts'
import { visibleText } from '../visible-text.ts'
import { wasNeverSent } from './call-api.ts'
import type { ToolCallOptions, ToolResult } from './contract.ts'
import { createMcpFetch, type McpFetch } from './mcp-fetch.ts'
import { textOfContent } from './mcp-content.ts'
import { pinTools, ToolsRefused, type PinnedTool } from './mcp-pins.ts'

/**
 * Any MCP server over Streamable HTTP, one connection a call: nothing lives longer than its call, in
 * this process or in another. Nothing that a server says of itself is trusted; it can neither ask the
 * client for anything nor make it follow a redirect.
 */
export interface McpServer {
  url: string
  headers: Record<string, string>
  /** Whose it is, and whose bytes its answers are. */
  accountId?: string
}

/** Loaded for the first server, as many services speak to none. */
const load = () => import('@modelcontextprotocol/client')

const listTimeoutMs = 20_000
// Whoever calls has a shorter time-out; this one is for a signal that never comes.
const callTimeoutMs = 600_000

/** What the server could not do, in words; nothing was called. */
export class McpError extends Error {
  override readonly name = 'McpError'
}

/** The tools that a server has now. Rejects with an `McpError`. */
export async function listMcpTools(outbound: Outbound, server: McpServer): Promise<PinnedTool[]> {
  const signal = AbortSignal.timeout(listTimeoutMs)
  return inConnection(outbound, server, signal, ({ client, failed }) => {
    const listed = listTools(client, signal)
    return Promise.race([listed, failed])
  })
}

export interface McpCall {
  result: ToolResult
  /** The tool is no longer what was accepted, so it was not called. */
  isChanged: boolean
}

/** Calls a tool, after a look at whether it still is the one that was accepted. */
export async function callMcpTool(
  outbound: Outbound,
  server: McpServer,
  tool: PinnedTool,
  input: Record<string, unknown>,
  options: ToolCallOptions,
): Promise<McpCall> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(callTimeoutMs)])
  let isSent = false
  try {
    return await inConnection(outbound, server, signal, async ({ client, failed }) => {
      const present = await Promise.race([listTools(client, signal), failed])
      const why = whyRefused(tool, present)
      if (why !== undefined) {
        return { isChanged: why.isChanged, result: { status: 'failed', output: why.words } }
      }
      isSent = true
      const call = client.callTool(
        {
          name: tool.name,
          arguments: input,
          _meta: { 'muster/idempotencyKey': options.idempotencyKey },
        },
        { signal, timeout: callTimeoutMs },
      )
      const answer = await Promise.race([call, failed])
      const output = textOfContent(answer)
      const status = answer.isError === true ? 'failed' : 'succeeded'
      return { isChanged: false, result: { status, output } }
    })
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    const status = isSent && !(await surelyDidNothing(error.cause)) ? 'unknown' : 'failed'
    return { isChanged: false, result: { status, output: error.message } }
  }
}

function whyRefused(
  tool: PinnedTool,
  present: readonly PinnedTool[],
): { words: string; isChanged: boolean } | undefined {
  const now = present.find(({ name }) => name === tool.name)
  if (now?.hash === tool.hash) {
    if (now.needs_task !== true) return undefined
    return { isChanged: false, words: `Cannot call ${tool.name}: ${needsTaskWords}` }
  }
  return now === undefined
    ? { isChanged: false, words: `Cannot call ${tool.name}: the server does not list it now` }
    : { isChanged: true, words: `Cannot call ${tool.name}: ${changedWords}` }
}

export const needsTaskWords =
  'its server runs it only as a task, to be fetched later, and Muster waits for answers of calls'
export const changedWords =
  'its description or arguments changed since an admin accepted it; an admin must connect the server again'

interface Connection {
  client: Client
  /** Rejects when an answer of the server broke, which the client itself would wait out. */
  failed: Promise<never>
}

async function inConnection<T>(
  outbound: Outbound,
  server: McpServer,
  signal: AbortSignal,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { Client, StreamableHTTPClientTransport } = await load()
  const mcpFetch = createMcpFetch(outbound, server, signal, callTimeoutMs)
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: (url, init) => mcpFetch.fetch(url, init),
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
  })
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client's interface, no event target
  transport.onmessage = (message) => mcpFetch.onMessage(message)
  const client = new Client(
    { name: 'muster', version },
    { capabilities: {}, jsonSchemaValidator: trusting, listMaxPages: 10 },
  )
  try {
    const refusal = await outbound.check(server.url, { allowHttp: 'inside' })
    if (refusal !== undefined) throw new OutboundError('refused_address', `url ${refusal}`)
    await Promise.race([client.connect(transport, { signal }), mcpFetch.failed])
    return await run({ client, failed: mcpFetch.failed })
  } catch (error) {
    const why = await explain(error, mcpFetch, signal)
    throw new McpError(`Cannot use the MCP server: ${why}`, { cause: mcpFetch.failure() ?? error })
  } finally {
    // A server keeps a session until it is closed; closing it must not delay the answer.
    if (transport.sessionId !== undefined) {
      mcpFetch.endSession(transport.sessionId, transport.protocolVersion)
    }
    await client.close().catch(() => undefined)
  }
}

// What a tool answers is text for a model, not data to rely on; and a server's output schemas need
// not be compiled to read it.
const trusting: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

async function listTools(client: Client, signal: AbortSignal): Promise<PinnedTool[]> {
  // A connection is used once, so a copy of the list, which may have megabytes, would serve nobody.
  const options = { signal, timeout: listTimeoutMs, cacheMode: 'bypass' } as const
  const { tools } = await client.listTools(undefined, options)
  return pinTools(tools)
}

/** Whether a failed call is the server's own refusal, or never reached it. */
async function surelyDidNothing(error: unknown): Promise<boolean> {
  if (error instanceof OutboundError) return wasNeverSent(error)
  const { ProtocolError, SdkHttpError } = await load()
  if (error instanceof SdkHttpError) return (error.status ?? 500) < 500
  // -32700 to -32600: the request was not understood, so nothing ran.
  return error instanceof ProtocolError && [-32700, -32600, -32601, -32602].includes(error.code)
}

async function explain(error: unknown, mcpFetch: McpFetch, signal: AbortSignal): Promise<string> {
  const broken = error instanceof OutboundError ? error : mcpFetch.failure()
  if (broken !== undefined) return broken.message
  if (signal.aborted) return 'it took too long, or the run ended'
  if (error instanceof ToolsRefused) return error.message
  const { ProtocolError, SdkHttpError } = await load()
  if (error instanceof SdkHttpError) {
    const hint = hints[error.status ?? 0]
    return `it answered ${error.status}${hint === undefined ? '' : `: ${hint}`}`
  }
  const said = error instanceof Error ? visibleText(error.message).slice(0, 300) : 'unknown reason'
  return error instanceof ProtocolError ? `it refused: ${said}` : `it does not speak MCP (${said})`
}

const hints: Record<number, string> = {
  301: 'redirects are not followed, give the address itself',
  302: 'redirects are not followed, give the address itself',
  307: 'redirects are not followed, give the address itself',
  308: 'redirects are not followed, give the address itself',
  401: 'it does not accept the headers as a login',
  403: 'the login may not do this',
  404: 'no MCP server at this address',
  405: 'no MCP server at this address',
}
