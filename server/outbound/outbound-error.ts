import { isIP } from 'node:net'
import { errors } from 'undici'
import type { Target } from './destination.ts'

/**
 * Why a call got no complete response. With `refused_address`, `dns`, `connect` and `tls` nothing
 * was sent; otherwise the request may have been sent.
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

/**
 * The message names host and cause, never path, query, headers or body, because users may see it.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly kind: OutboundErrorKind
  /** The status of a response whose body was incomplete. */
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
 * The same message for a name with a private address and for one without any: otherwise it would
 * reveal which names an operator's network has. For the same reason it shows no addresses.
 */
export function notPublic(hostname: string): string {
  const shown = hostname.includes(':') ? `[${hostname}]` : hostname
  return `host ${shown} is not publicly reachable, expected hosts with public addresses only${wayIn(hostname)}`
}

/** What an operator can do about a refused address, from the text of the host alone. */
export function wayIn(hostname: string): string {
  return `; the operator can allow a private network, such as MUSTER_ALLOWED_NETWORKS=${exampleFor(hostname)}, see docs/configuration.md#private-networks`
}

function exampleFor(hostname: string): string {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return '127.0.0.0/8,::1/128'
  switch (isIP(hostname)) {
    case 4:
      return hostname.startsWith('127.') ? '127.0.0.0/8' : `${hostname}/32`
    case 6:
      return `${hostname}/128`
    default:
      return '10.0.0.0/8'
  }
}

export function toLookupError(error: unknown, hostname: string): OutboundError {
  if (error instanceof OutboundError) return error
  return new OutboundError('dns', notPublic(hostname), error)
}

/** Converts a failure before the connection could be used. */
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

/** Converts a failure on a connection. */
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

// Error codes of unencrypted connections; all others come from TLS and certificates.
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
