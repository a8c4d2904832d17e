import type { Client } from '@modelcontextprotocol/client'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { visibleText } from '../../safe-text.ts'
import { wasNeverSent } from '../../tools/call-api.ts'
import { maxCallMs, type ToolCallOptions, type ToolResult } from '../../tools/contract.ts'
import { Exchange } from './exchange.ts'
import type { RawTool } from './message.ts'
import {
  hashRawTool,
  needsTask,
  pinTools,
  ToolsRefused,
  type PinnedTool,
  type ToolPick,
} from './pins.ts'
import { httpWords } from './refusals.ts'
import { loadClient, openMcpSession, type McpServer, type McpServices } from './session.ts'
import type { McpSessions, SessionOwner } from './sessions.ts'

/**
 * The client for MCP servers over Streamable HTTP: it lists their tools and calls them. A tool is
 * pinned by a hash of its definition when an admin accepts it (`pins.ts`), and checked again before
 * each call. Calls of one run share a session with each server (`sessions.ts`); requests and
 * responses are bounded in bytes and time (`fetch.ts`) and normalized (`message.ts`). A call whose
 * outcome is uncertain is `unknown`, and never repeated here.
 */

const listTimeoutMs = 20_000
const maxListed = 1_000
const maxPages = 200

/** Why a server could not be used, in words; no tool was called. */
export class McpError extends Error {
  override readonly name = 'McpError'
}

/** A server's current tools. Throws `McpError`. */
export async function listMcpTools(
  services: McpServices,
  server: McpServer,
  pick?: ToolPick,
): Promise<PinnedTool[]> {
  using time = timeLimit(listTimeoutMs)
  const exchange = new Exchange({ signal: time.signal, timeoutMs: listTimeoutMs })
  try {
    const session = await openMcpSession(services, server, exchange)
    try {
      const options = { signal: time.signal, timeoutMs: listTimeoutMs }
      return await session
        .run(options, async (client, own) => {
          const tools: RawTool[] = []
          for await (const page of pagesOf(client, own)) {
            tools.push(...page)
            if (tools.length > maxListed) {
              throw new ToolsRefused(`it has more than ${maxListed} tools`)
            }
          }
          return pinTools(tools, pick)
        })
        .catch((error: unknown) => {
          throw error
        })
    } finally {
      void session.close()
    }
  } catch (error) {
    const why = await explain(error, exchange, server)
    throw new McpError(`Cannot use the MCP server: ${why}`, { cause: error })
  }
}

export interface McpCall {
  result: ToolResult
  /** The tool has changed since it was accepted, so it was not called. */
  isChanged: boolean
  /** Whether the server was reached and accepted the login; undefined if that is uncertain. */
  isReached?: boolean
}

/** Calls a tool after checking that it is still the accepted one. */
export async function callMcpTool(
  sessions: McpSessions,
  server: McpServer,
  tool: PinnedTool,
  input: Record<string, unknown>,
  options: ToolCallOptions,
  owner?: SessionOwner,
): Promise<McpCall> {
  using time = timeLimit(maxCallMs)
  const signal = AbortSignal.any([options.signal, time.signal])
  const asked = { signal, timeoutMs: maxCallMs, onProgress: options.onProgress }
  let isSent = false
  let exchange = new Exchange(asked)
  try {
    return await sessions.use(
      server,
      owner,
      asked,
      (session, isReplacement) => {
        isSent = false
        return session.run(asked, async (client, own) => {
          exchange = own
          const now = await findTool(client, own, tool.name)
          const why = whyRefused(tool, now)
          if (why !== undefined) {
            return {
              isChanged: why.isChanged,
              isReached: true,
              result: { status: 'failed', output: why.words },
            }
          }
          isSent = true
          const answer = await client.callTool(
            {
              name: tool.name,
              arguments: input,
              _meta: { 'muster/idempotencyKey': options.idempotencyKey },
            },
            {
              signal,
              timeout: maxCallMs,
              onprogress: () => {},
              toolDefinition: {
                name: tool.name,
                inputSchema: now?.inputSchema as { type: 'object' },
              },
            },
          )
          // `readMessage` has reduced the content to one text.
          const [part] = answer.content as { text: string }[]
          const output = isReplacement ? `${newSessionWords}\n\n${part?.text}` : (part?.text ?? '')
          const status = answer.isError === true ? 'failed' : 'succeeded'
          return { isChanged: false, isReached: true, result: { status, output } }
        })
      },
      isSessionLost,
    )
  } catch (error) {
    const status =
      isSent && !(await surelyDidNothing(exchange.failure ?? error)) ? 'unknown' : 'failed'
    const output = `Cannot use the MCP server: ${await explain(error, exchange, server)}`
    const { ProtocolError, SdkHttpError } = await loadClient()
    const isAnswered = error instanceof ProtocolError
    // A response that broke off says little about the connection.
    const says = isAnswered || !isSent || error instanceof SdkHttpError
    return {
      isChanged: false,
      ...(says && !options.signal.aborted && { isReached: isAnswered }),
      result: { status, output },
    }
  }
}

const newSessionWords =
  '[The session with this MCP server was lost and a new one was begun before this call: what the server ' +
  "remembered of this run's earlier calls, such as open pages or counters, is gone.]"

function whyRefused(
  tool: PinnedTool,
  now: RawTool | undefined,
): { words: string; isChanged: boolean } | undefined {
  if (now === undefined) {
    return {
      isChanged: false,
      words: `Cannot call ${tool.name}: the server does not list it now`,
    }
  }
  if (hashRawTool(now) !== tool.hash) {
    return { isChanged: true, words: `Cannot call ${tool.name}: ${changedWords}` }
  }
  if (!needsTask(now)) return undefined
  return { isChanged: false, words: `Cannot call ${tool.name}: ${needsTaskWords}` }
}

export const needsTaskWords =
  'its server runs it only as a task, to be fetched later, and Muster waits for answers of calls'
export const changedWords =
  'its description or arguments changed since an admin accepted it; an admin must connect the server again'

async function findTool(
  client: Client,
  exchange: Exchange,
  name: string,
): Promise<RawTool | undefined> {
  for await (const page of pagesOf(client, exchange)) {
    const found = page.find((tool) => tool.name === name)
    if (found !== undefined) return found
  }
  return undefined
}

/** The tools that a server lists, unmodified. */
async function* pagesOf(client: Client, exchange: Exchange): AsyncGenerator<RawTool[], void> {
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { params: { cursor } }
    const options = { signal: exchange.signal, timeout: exchange.timeoutMs }
    const { nextCursor } = await client.request({ method: 'tools/list', ...params }, options)
    yield exchange.tools.splice(0)
    if (nextCursor === undefined || nextCursor === cursor) return
    cursor = nextCursor
  }
  throw new ToolsRefused(`its list of tools has more than ${maxPages} pages`)
}

/** The server does not know the session any more, so it did nothing. */
async function isSessionLost(error: unknown): Promise<boolean> {
  const { SdkHttpError } = await loadClient()
  if (!(error instanceof SdkHttpError)) return false
  return error.status === 404 || (error.status === 400 && /session/i.test(error.message))
}

/** Whether a failed call was rejected by the server, or never reached it. */
async function surelyDidNothing(error: unknown): Promise<boolean> {
  if (error instanceof OutboundError) return wasNeverSent(error)
  const { ProtocolError, SdkHttpError } = await loadClient()
  if (error instanceof SdkHttpError) return (error.status ?? 500) < 500
  // A protocol error means that nothing was done, unless a proxy reports that it lost its upstream.
  return error instanceof ProtocolError && !(error.code === -32001 || isLostUpstream(error))
}

function isLostUpstream({ code, message }: { code: number; message: string }): boolean {
  return code === -32000 && /connection closed|timed? ?out/i.test(message)
}

async function explain(error: unknown, exchange: Exchange, server: McpServer): Promise<string> {
  const broken = error instanceof OutboundError ? error : exchange.failure
  if (exchange.signal.aborted) {
    const { reason } = exchange.signal as { reason: unknown }
    return reason instanceof Error ? reason.message : 'the run ended before it answered'
  }
  if (broken !== undefined) return broken.message
  if (error instanceof ToolsRefused) return error.message
  const { ProtocolError, SdkHttpError } = await loadClient()
  if (error instanceof SdkHttpError)
    return httpWords(error.data, Exchange.challengeOf(error), server)
  const said =
    error instanceof Error ? visibleText(error.message.slice(0, 2_000)) : 'unknown reason'
  return error instanceof ProtocolError
    ? `it answered with an error: ${said}`
    : `it does not speak MCP (${said.slice(0, 300)})`
}

/** A timeout whose abort reason names the limit. */
function timeLimit(ms: number): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  const abort = (): void => controller.abort(new Error(`it gave no answer within ${ms / 1_000} s`))
  const timer = setTimeout(abort, ms)
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}
