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
import { httpWords, readRefusal, type LoginRefusal } from './refusals.ts'
import { loadClient, openMcpSession, type McpServer, type McpServices } from './session.ts'
import type { McpSessions, SessionOwner } from './sessions.ts'
import { followTask } from './task.ts'
import { taskOf, type McpTask } from './task-message.ts'

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
  /** Set if the server demands a login, or another one. */
  readonly refusal: LoginRefusal | undefined

  constructor(message: string, options?: ErrorOptions, refusal?: LoginRefusal) {
    super(message, options)
    this.refusal = refusal
  }
}

/** A server's current tools. Throws `McpError`. */
export async function listMcpTools(
  services: McpServices,
  server: McpServer,
  pick?: ToolPick,
): Promise<PinnedTool[]> {
  using time = timeLimit(listTimeoutMs)
  const options = { signal: time.signal, timeoutMs: listTimeoutMs, bearer: server.bearer }
  const exchange = new Exchange(options)
  try {
    const session = await openMcpSession(services, server, exchange)
    try {
      return await session.run(options, async (client, own) => {
        const tools: RawTool[] = []
        for await (const page of pagesOf(client, own)) {
          tools.push(...page)
          if (tools.length > maxListed) {
            throw new ToolsRefused(`it has more than ${maxListed} tools`)
          }
        }
        return pinTools(tools, pick)
      })
    } finally {
      void session.close()
    }
  } catch (error) {
    const why = await explain(error, exchange, server)
    const refusal = await refusedLogin(error)
    throw new McpError(`Cannot use the MCP server: ${why}`, { cause: error }, refusal)
  }
}

export interface McpCall {
  result: ToolResult
  /** The tool has changed since it was accepted, so it was not called. */
  isChanged: boolean
  /** Whether the server was reached and accepted the login; undefined if that is uncertain. */
  isReached?: boolean
  /** The server did not accept the login, so the tool was not called. */
  refusal?: LoginRefusal | undefined
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
  const { onProgress } = options
  const asked = { signal, timeoutMs: maxCallMs, bearer: server.bearer, onProgress }
  let isSent = false
  // The server has accepted the call as a task: it must not be made again, whatever becomes of the task.
  let isAccepted = false
  let exchange = new Exchange(asked)
  try {
    return await sessions.use(
      server,
      owner,
      asked,
      async (session, isReplacement) => {
        isSent = false
        const made = await session.run(asked, async (client, own): Promise<Made> => {
          exchange = own
          const now = await findTool(client, own, tool.name)
          const why = whyRefused(tool, now)
          if (why !== undefined) return { isChanged: why.isChanged, result: failed(why.words) }
          isSent = true
          return callNow(client, own, { tool, now, input, key: options.idempotencyKey })
        })
        isAccepted = 'task' in made
        const result = 'task' in made ? await followTask(session, made.task, asked) : made.result
        const output = isReplacement ? `${newSessionWords}\n\n${result.output}` : result.output
        const isChanged = 'result' in made && made.isChanged
        return { isChanged, isReached: true, result: { status: result.status, output } }
      },
      async (error) => !isAccepted && (await isSessionLost(error)),
    )
  } catch (error) {
    const mayHaveDone =
      isAccepted || (isSent && !(await surelyDidNothing(exchange.failure ?? error)))
    const status = mayHaveDone ? 'unknown' : 'failed'
    const output = `Cannot use the MCP server: ${await explain(error, exchange, server)}`
    const { ProtocolError, SdkHttpError } = await loadClient()
    const isAnswered = error instanceof ProtocolError
    // A response that broke off says little about the connection.
    const says = isAnswered || !isSent || error instanceof SdkHttpError
    return {
      isChanged: false,
      refusal: await refusedLogin(error),
      ...(says && !options.signal.aborted && { isReached: isAnswered }),
      result: { status, output },
    }
  }
}

type Made = { result: ToolResult; isChanged: boolean } | { task: McpTask }

interface Sent {
  tool: PinnedTool
  now: RawTool | undefined
  input: Record<string, unknown>
  key: string
}

async function callNow(
  client: Client,
  { signal }: Exchange,
  { tool: { name }, now, input, key }: Sent,
): Promise<Made> {
  // With 2025-11-25 the client asks for the task, with a newer protocol the server decides.
  const asTask = now !== undefined && needsTask(now) && client.getProtocolEra() === 'legacy'
  const answer = await client.callTool(
    {
      name,
      arguments: input,
      _meta: { 'muster/idempotencyKey': key },
      ...(asTask && { task: { ttl: maxCallMs } }),
    },
    {
      signal,
      timeout: maxCallMs,
      onprogress: () => {},
      toolDefinition: { name, inputSchema: now?.inputSchema as { type: 'object' } },
    },
  )
  const task = taskOf(answer)
  if (task !== undefined) return { task }
  // `readMessage` has reduced the content to one text.
  const [part] = answer.content as { text: string }[]
  const status = answer.isError === true ? 'failed' : 'succeeded'
  return { isChanged: false, result: { status, output: part?.text ?? '' } }
}

function failed(output: string): ToolResult {
  return { status: 'failed', output }
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
  if (hashRawTool(now) === tool.hash) return undefined
  return { isChanged: true, words: `Cannot call ${tool.name}: ${changedWords}` }
}

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

/** The server's demand for a login, if that is why a request failed. */
async function refusedLogin(error: unknown): Promise<LoginRefusal | undefined> {
  const { SdkHttpError } = await loadClient()
  if (!(error instanceof SdkHttpError)) return undefined
  return readRefusal(error.status, Exchange.challengeOf(error))
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
