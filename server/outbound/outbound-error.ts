import { errors } from 'undici'
import type { Target } from './destination.ts'

/**
 * Why a call got no whole answer. `refused_address`, `dns`, `connect` and `tls` were never sent;
 * the others may have been.
 */
export type OutboundErrorKind =
  | 'refused_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'aborted'
  | 'closed'
  | 'too_large'
  | 'protocol'

/** The message names host and cause, never path, query, headers or body: it may be shown to users. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly kind: OutboundErrorKind
  /** The status of an answer whose body did not come whole. */
  status: number | undefined

  constructor(kind: OutboundErrorKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

export function refuse(why: string | undefined): void {
  if (why !== undefined) throw new OutboundError('refused_address', why)
}

/**
 * The same words for a name that stands for a private address and for one that stands for none: they would
 * tell which names an operator's network has. The addresses stay out of them for the same reason.
 */
export function notPublic(hostname: string): string {
  const shown = hostname.includes(':') ? `[${hostname}]` : hostname
  return `host ${shown} is not publicly reachable, expected hosts with public addresses only`
}

export function toLookupError(error: unknown, hostname: string): OutboundError {
  if (error instanceof OutboundError) return error
  return new OutboundError('dns', notPublic(hostname), error)
}

/** Of a failure before the connection could be used. */
export function toConnectError(error: unknown, target: Target): OutboundError {
  if (error instanceof OutboundError) return error
  const code = codeOf(error)
  if (error instanceof errors.ConnectTimeoutError || code === 'ETIMEDOUT') {
    const message = `host ${target.hostname} did not accept the connection`
    return new OutboundError('connect', message, error)
  }
  if (code !== undefined && !systemCodes.has(code)) {
    const message = `no trusted TLS connection to ${target.hostname}${shown(code)}`
    return new OutboundError('tls', message, error)
  }
  const message = `cannot connect to ${target.hostname} on port ${target.port}${shown(code)}`
  return new OutboundError('connect', message, error)
}

/** Of a failure on a connection. */
export function toOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  const code = codeOf(error)
  if (error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError) {
    return new OutboundError('aborted', 'the service is stopping', error)
  }
  if (error instanceof errors.SocketError || (code !== undefined && systemCodes.has(code))) {
    return new OutboundError('closed', 'the connection was closed before the whole answer', error)
  }
  if (error instanceof errors.InvalidArgumentError) {
    return new OutboundError('protocol', `the request is malformed (${error.message})`, error)
  }
  if (error instanceof errors.HeadersOverflowError) {
    return new OutboundError('protocol', 'the headers of the answer are larger than 16 KB', error)
  }
  return new OutboundError('protocol', 'the answer is not well-formed HTTP', error)
}

// What a connection that is not encrypted fails with; all else comes from TLS and certificates.
const systemCodes = new Set(
  (
    'EACCES EADDRINUSE EADDRNOTAVAIL ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN EHOSTUNREACH ' +
    'EINVAL EMFILE ENETDOWN ENETUNREACH ENFILE ENOBUFS EPERM EPIPE'
  ).split(' '),
)

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}

function shown(code: string | undefined): string {
  return code === undefined ? '' : ` (${code})`
}
