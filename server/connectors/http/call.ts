import type { Outbound } from '../../outbound/outbound.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { wasNeverSent } from '../../tools/call-api.ts'
import type { ToolCallOptions, ToolResult } from '../../tools/contract.ts'
import { collect, toResult, type HttpAnswer } from './answer.ts'
import { hideConnection, loginOf, type HttpConnection } from './connection.ts'
import { buildRequest, UnsendableError, type HttpRequest } from './request.ts'
import { accessTokens, LoginError } from './tokens.ts'

/**
 * Calls one action of an HTTP API, once. The request goes to the connector's base address and
 * nowhere else; a GET follows redirects within that origin. What the API answers is masked before
 * anyone sees it.
 */
export interface HttpServices {
  outbound: Outbound
  toolSettings: { timeoutMs: number }
}

export interface HttpCall {
  accountId: string
  /** Names the connection and its version, for its access token. */
  tokenKey: string
  connection: HttpConnection
  request: HttpRequest
  isSafe: boolean
}

export interface HttpOutcome {
  result: ToolResult
  /** Whether the API was reached and accepted the login; undefined if that is uncertain. */
  isReached?: boolean
}

const maxRedirects = 5

export async function callHttp(
  services: HttpServices,
  call: HttpCall,
  input: Record<string, unknown>,
  options: Pick<ToolCallOptions, 'idempotencyKey' | 'signal'>,
): Promise<HttpOutcome> {
  const { connection, tokenKey } = call
  const tokens = accessTokens(services.outbound)
  let token: string | undefined
  const masked = (text: string): string =>
    hideConnection(text, connection, token === undefined ? [] : [token])
  const failed = (why: string): ToolResult => ({ status: 'failed', output: masked(why) })
  try {
    token = await tokens.of(tokenKey, connection)
    let answer = await send(services, call, input, options, token)
    if (answer.status === 401 && token !== undefined) {
      // A refused token means that nothing happened, so the call is made once more with a new one.
      tokens.forget(tokenKey)
      token = await tokens.of(tokenKey, connection)
      answer = await send(services, call, input, options, token)
    }
    const { status } = answer
    const isReached = status === 401 ? false : status < 500 ? true : undefined
    const result = await toResult(answer, call, masked)
    return { result, ...(isReached !== undefined && { isReached }) }
  } catch (error) {
    if (error instanceof UnsendableError) {
      return { result: failed(`Nothing was sent: ${error.message}.`) }
    }
    if (error instanceof LoginError) {
      return { result: failed(`Cannot log in: ${error.message}`), isReached: false }
    }
    if (!(error instanceof OutboundError)) throw error
    const isUnsent = wasNeverSent(error)
    const why = options.signal.aborted ? reasonOf(options.signal) : error.message
    const output = masked(`The API gave no answer: ${why}`)
    const status = isUnsent || call.isSafe ? 'failed' : 'unknown'
    return { result: { status, output }, ...(isUnsent && { isReached: false }) }
  }
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : 'the run ended before it answered'
}

/** Sends a request, and follows its redirects. */
async function send(
  { outbound, toolSettings }: HttpServices,
  { accountId, connection, request, isSafe }: HttpCall,
  input: Record<string, unknown>,
  { idempotencyKey, signal }: Pick<ToolCallOptions, 'idempotencyKey' | 'signal'>,
  token: string | undefined,
): Promise<HttpAnswer> {
  const login = loginOf(connection, token)
  const { method } = request
  const built = buildRequest(connection.base_url, request, input, login.query)
  const { origin } = new URL(connection.base_url)
  const headers = lowerCase({
    accept: 'application/json, text/*;q=0.9, */*;q=0.1',
    'user-agent': 'Muster',
    ...lowerCase(built.headers),
    ...lowerCase(login.headers),
    ...(isSafe ? {} : { 'idempotency-key': idempotencyKey }),
  })
  let { url } = built
  for (let hops = 0; ; hops++) {
    const answer = await collect(
      await outbound.stream(url, {
        method,
        headers,
        ...(built.body !== undefined && { body: built.body }),
        signal,
        timeoutMs: toolSettings.timeoutMs,
        maxResponseBytes: Number.MAX_SAFE_INTEGER,
        accountId,
        allowHttp: 'inside',
      }),
    )
    const target = redirectOf(answer, url)
    if (target === undefined || method !== 'GET') return answer
    if (target.origin !== origin) {
      return {
        ...answer,
        refusedRedirect: `to another host, ${target.host}, which is not followed`,
      }
    }
    if (hops === maxRedirects) {
      return { ...answer, refusedRedirect: `for the ${hops + 1}th time, which is not followed` }
    }
    for (const [name, value] of login.query) target.searchParams.set(name, value)
    url = target.href
  }
}

function redirectOf({ status, headers }: HttpAnswer, url: string): URL | undefined {
  const { location } = headers
  if (![301, 302, 303, 307, 308].includes(status) || typeof location !== 'string') return undefined
  const target = URL.parse(location, url)
  if (target === null) return undefined
  target.hash = ''
  return target
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}
