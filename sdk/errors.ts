import type { ErrorBody } from './generated.ts'

/** The types of failures: those of the service, and what the SDK itself finds. */
export type MusterErrorType =
  | ErrorBody['error']['type']
  | 'connection'
  | 'timeout'
  | 'unexpected_answer'

/** The codes of failures: those of the service, to which later versions may add, and the SDK's own. */
export type MusterErrorCode =
  | ErrorBody['error']['code']
  | 'unreachable'
  | 'stream_broken'
  | 'timeout'
  | 'unexpected_answer'
  | 'malformed_answer'
  | 'redirected'

/** Details of a failure, from the service or the connection. */
export interface MusterErrorDetails {
  status: number
  type: MusterErrorType
  code: MusterErrorCode
  param?: string | undefined
  line?: number | undefined
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/**
 * Every failure of the SDK, except an abort by the caller's own signal. `status` is the HTTP
 * status; it is 0 if there was no response, and `type` is then `connection` (code `unreachable` or
 * `stream_broken`) or `timeout` (code `timeout`). All other types and codes come from the service.
 */
export class MusterError extends Error {
  override readonly name = 'MusterError'
  declare readonly status: number
  declare readonly type: MusterErrorType
  /** Stable code of the cause, such as `string_too_long`. */
  declare readonly code: MusterErrorCode
  /** Path of the invalid field, such as `crew[2].role`. */
  declare readonly param: string | undefined
  /** Line of the training data with the error, from 1. */
  declare readonly line: number | undefined
  /** Identifies the request in the service's logs. */
  declare readonly requestId: string | undefined
  declare readonly retryAfterSeconds: number | undefined

  constructor(message: string, { cause, ...details }: MusterErrorDetails) {
    super(message, { cause })
    Object.assign(this, details)
  }
}

/** No complete response within the timeout. */
export function timeoutError(message: string, cause: unknown): MusterError {
  return new MusterError(message, { status: 0, type: 'timeout', code: 'timeout', cause })
}

export function connectionError(
  code: 'unreachable' | 'stream_broken',
  message: string,
  cause: unknown,
): MusterError {
  return new MusterError(message, { status: 0, type: 'connection', code, cause })
}

const maxPageUnits = 10_000

/** Reads an error response; one that is not Muster's is described by its first words. */
export async function toMusterError(response: Response): Promise<MusterError> {
  const text = await response.text().catch(() => '')
  const body = readErrorBody(text)
  // Proxies answer with pages: only their words are of interest.
  const words = text.slice(0, maxPageUnits).replaceAll(/<(style|script)[^]*?<\/\1>|<[^>]*>/gi, ' ')
  const shown = words.replaceAll(/\s+/g, ' ').trim().slice(0, 200)
  return new MusterError(
    body?.message ?? `The answer was ${response.status}, not from Muster: ${shown || 'empty'}`,
    {
      status: response.status,
      type: body?.type ?? 'unexpected_answer',
      code: body?.code ?? 'unexpected_answer',
      param: body?.param,
      line: body?.line,
      requestId: body?.request_id ?? response.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: retryAfter(response.headers.get('retry-after')),
    },
  )
}

function readErrorBody(text: string): Partial<ErrorBody['error']> | undefined {
  try {
    const { error } = JSON.parse(text) as Partial<{ error: Partial<ErrorBody['error']> }>
    const isOurs = [error?.code, error?.message, error?.type].every(
      (one) => typeof one === 'string',
    )
    return isOurs ? error : undefined
  } catch {
    return undefined
  }
}

/** Seconds of a `Retry-After` header, which has seconds or a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000)
}
