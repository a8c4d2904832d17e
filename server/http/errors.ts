import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isPoolBusy, outageOf } from '../db/outage.ts'
import { DomainError, type ErrorCode, type ErrorType } from '../errors.ts'
import { actionOf } from './request.ts'
import { toValidationError } from './validation.ts'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from '../ids.ts'

/** Maps errors to responses: the only place that knows HTTP status codes. */
const statusOfType: Record<ErrorType, number> = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
}

const statusOfCode: Partial<Record<ErrorCode, number>> = {
  method_not_allowed: 405,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  version_conflict: 412,
}

export function statusOf(error: DomainError): number {
  return statusOfCode[error.code] ?? statusOfType[error.type]
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = readError(error, request)
  if (known.type === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds)
  void reply.status(statusOf(known)).send({
    error: {
      type: known.type,
      code: known.code,
      message: known.message,
      ...(known.param === undefined ? {} : { param: known.param }),
      ...(known.line === undefined ? {} : { line: known.line }),
      request_id: request.id,
    },
  })
}

/** The error as a domain error, logged if an operator should see it. */
export function readError(error: unknown, request: FastifyRequest): DomainError {
  const known = toDomainError(error, request)
  if (known.code === 'internal') request.log.error({ err: error }, 'request failed')
  if (known.code === 'database_unavailable') request.log.warn({ err: error }, 'no database')
  if (known.code === 'files_unavailable') request.log.warn({ err: error }, 'no store of files')
  return known
}

function toDomainError(error: unknown, request: FastifyRequest): DomainError {
  if (error instanceof DomainError) return error
  if (!(error instanceof Error)) return internal(error)
  const { code, validation, validationContext, statusCode } = error as Partial<FastifyError>
  const action = actionOf(request)
  if (validation !== undefined) {
    if (validationContext === 'body' && request.body === undefined) {
      return new DomainError('required', `Cannot ${action}: the body is required`)
    }
    return toValidationError(validation, action, validationContext)
  }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new DomainError(
        'body_too_large',
        `Cannot ${action}: the body has more than ${request.routeOptions.bodyLimit} bytes`,
      )
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new DomainError(
        'unsupported_media_type',
        `Cannot ${action}: the content type is not ${request.routeOptions.config.operation?.bodyType ?? 'application/json'}`,
      )
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new DomainError('invalid_json', `Cannot ${action}: the body is not valid JSON`)
  }
  if (isPoolBusy(error)) {
    const busy = 'all connections to the database are in use, try again'
    return new DomainError('too_busy', `Cannot ${action}: ${busy}`, {
      retryAfterSeconds: 2,
      cause: error,
    })
  }
  const why = outageOf(error)
  if (why !== undefined) {
    return new DomainError('database_unavailable', `Cannot ${action}: the database ${why}`, {
      retryAfterSeconds: 2,
      cause: error,
    })
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new DomainError('invalid_request', `Cannot ${action}: ${error.message}`)
  }
  return internal(error)
}

function internal(cause: unknown): DomainError {
  return new DomainError('internal', 'Something went wrong; the request id finds it in the logs', {
    cause,
  })
}

/** Responses to requests that reach no route, with the same body and headers as other errors. */

/** For a path that cannot be decoded, or that contains an id that is too long. */
export function answerUnroutable(
  error: { code?: string },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH'
  const path = request.url.split('?', 1)[0] as string
  const what = `${request.method} ${path.slice(0, 200)}`
  const text = isTooLong
    ? failure('not_found', 'route_not_found', `Cannot ${what}: no such path`, request.id)
    : failure('invalid_request', 'invalid_request', `Cannot ${what}: not a valid path`, request.id)
  // The reply belongs to no route, so it has neither hooks nor a serializer.
  reply.raw.writeHead(isTooLong ? 404 : 400, headersOf(text, request.id)).end(text)
}

/**
 * For requests that are not HTTP, have too large headers or arrive too slowly. Ends the connection.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, why] = explain(error.code)
  const id = newId('req')
  const text = failure('invalid_request', 'invalid_request', `Cannot answer: ${why}`, id)
  const lines = Object.entries({ ...headersOf(text, id), connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`)
  // A client that does not read the response must not keep the connection open.
  socket.setTimeout(5_000, () => socket.destroy())
}

function explain(code: string | undefined): [status: number, why: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'the headers are too large']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'the request did not arrive in time']
    default:
      return [400, 'this is not a valid HTTP request']
  }
}

function failure(type: string, code: string, message: string, requestId: string): string {
  return JSON.stringify({ error: { type, code, message, request_id: requestId } })
}

function headersOf(text: string, requestId: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  }
}
