import type { OutboundResponse } from '../outbound/guarded-transport.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import { visibleText } from '../safe-text.ts'
import type { ToolServices } from './connector.ts'
import type { ToolResult } from './contract.ts'

/** A call to a JSON API over HTTP, for connectors. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PATCH'
  /** Id of the connector whose API is called. */
  connector: string
  /** An address that the account gave, https only, where the API has none for all accounts. */
  site?: string
  /** Starts with a slash. */
  path: string
  headers: Record<string, string>
  body?: unknown
  signal?: AbortSignal | undefined
  /** Name of the API in messages. */
  name: string
  /** Whether the call only reads, so that it cannot have an unknown effect. */
  isRead: boolean
}

export type ApiAnswer =
  | { ok: true; body: unknown; headers: OutboundResponse['headers'] }
  | { ok: false; status: ToolResult['status']; httpStatus: number; body: unknown; why: string }

const maxAnswerBytes = 1024 * 1024
const timeoutMs = 20_000

/**
 * Calls once. A 4xx response is a refusal without an effect; after a 5xx, a timeout or a broken
 * connection there may have been an effect.
 */
export async function callApi(services: ToolServices, call: ApiCall): Promise<ApiAnswer> {
  const unclear = call.isRead ? 'failed' : 'unknown'
  let answer: OutboundResponse
  try {
    answer = await services.outbound.request(
      `${call.site ?? services.toolSettings.apiUrls[call.connector]}${call.path}`,
      {
        method: call.method,
        headers: {
          accept: 'application/json',
          ...(call.body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
          ...call.headers,
        },
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        signal: call.signal,
        timeoutMs,
        maxResponseBytes: maxAnswerBytes,
        // Without a site, the address comes from the connector or the operator.
        allowHttp: call.site === undefined,
      },
    )
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const status = wasNeverSent(error) ? 'failed' : unclear
    return {
      ok: false,
      status,
      httpStatus: 0,
      body: undefined,
      why: `${call.name}: ${error.message}`,
    }
  }
  const body = parseJson(answer)
  const { status: httpStatus } = answer
  if (httpStatus >= 200 && httpStatus < 300) {
    if (body !== undefined) return { ok: true, body, headers: answer.headers }
    const why = `${call.name} answered with something other than JSON of at most 1 MB`
    return { ok: false, status: unclear, httpStatus, body, why }
  }
  const status = httpStatus < 500 ? 'failed' : unclear
  return { ok: false, status, httpStatus, body, why: `${call.name} answered ${httpStatus}` }
}

/** Why a call failed: the status, its meaning for this API, and the API's own words. */
export function explainFailure(
  { why, httpStatus }: Extract<ApiAnswer, { ok: false }>,
  hints: Record<number, string>,
  said?: string,
): string {
  return [why, hints[httpStatus], said].filter((part) => part !== undefined).join(': ')
}

/** Whether a call certainly did not reach the API. */
export function wasNeverSent(error: OutboundError): boolean {
  return ['refused_address', 'dns', 'connect', 'tls'].includes(error.kind)
}

function parseJson({ body, truncated }: OutboundResponse): unknown {
  if (truncated) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** A string field of a response, without invisible characters. */
export function textField(body: unknown, name: string, maxCharacters = 500): string | undefined {
  const value = (body as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'string' ? visibleText(value).slice(0, maxCharacters) : undefined
}
