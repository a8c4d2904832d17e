import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import {
  createGuardedConnect,
  createLookup,
  type Lookup,
  resolveInTime,
} from './guarded-connect.ts'
import {
  createGuardedTransport,
  type GuardedTransport,
  type TransportOptions,
} from './guarded-transport.ts'
import { OutboundError } from './outbound-error.ts'
import { toTarget, checkKnownUrl, checkUrl, isInsideOnly, type AllowHttp } from './destination.ts'

/**
 * All connections to addresses that users give. A URL is checked when it is stored, as text and by
 * what its host resolves to; again, as a URL, before each call; and at each connection the
 * addresses are resolved and checked inside the socket, so that the checked address is the one
 * connected to. Every address of a host must be public or in an allowed network; allowed networks
 * also permit private names and other ports, but never a cloud's metadata. Responses are not
 * trusted either: see `guarded-transport.ts`.
 */
export interface Outbound extends GuardedTransport {
  /**
   * Why a user's URL is rejected, to follow the name of its field; undefined if it is accepted.
   * Resolves its host, for at most 5 s.
   */
  check(url: string, options?: { allowHttp?: AllowHttp }): Promise<string | undefined>
  /**
   * A socket for another protocol than HTTP, which no proxy supports; rejects only with an
   * `OutboundError`.
   */
  connect(target: SocketTarget): Promise<Socket>
  /**
   * A connector for another HTTP client, limited to one address; throws an `OutboundError` for a
   * rejected URL.
   */
  connectorFor(url: string, options?: { allowHttp?: AllowHttp }): buildConnector.connector
}

interface SocketTarget {
  /** A name or an address, as the user wrote it. */
  hostname: string
  port: number
  /** Allowed ports of public hosts. */
  allowedPorts: readonly number[]
}

export function createOutbound(options: TransportOptions): Outbound {
  const lookup = options.lookup ?? createLookup()
  const transport = createGuardedTransport({ ...options, lookup })
  return {
    check: async (text, { allowHttp } = {}) => {
      try {
        const url = checkUrl(text, { ...options, allowHttp: Boolean(allowHttp) })
        await resolveInTime(url, { ...options, lookup, insideOnly: isInsideOnly(url, allowHttp) })
        return undefined
      } catch (error) {
        if (error instanceof OutboundError) return error.message
        throw error
      }
    },
    connectorFor: (text, { allowHttp } = {}) => {
      const url = checkKnownUrl(text, { ...options, allowHttp: Boolean(allowHttp) })
      const insideOnly = isInsideOnly(url, allowHttp)
      const connectTimeoutMs = options.connectTimeoutMs ?? 10_000
      return createGuardedConnect(toTarget(url), {
        ...options,
        lookup,
        connectTimeoutMs,
        insideOnly,
      })
    },
    connect: (target) => connectChecked(target, { ...options, proxy: undefined, lookup }),
    ...transport,
  }
}

/** Opens a plain socket under the same rules as every outbound call. */
function connectChecked(
  { hostname: written, port, allowedPorts }: SocketTarget,
  options: TransportOptions & { lookup: Lookup },
): Promise<Socket> {
  const hostname = written.toLowerCase()
  const connectTimeoutMs = options.connectTimeoutMs ?? 10_000
  const target = { hostname, port, defaultPort: allowedPorts[0] ?? port }
  const connect = createGuardedConnect(target, { ...options, allowedPorts, connectTimeoutMs })
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const asked = { hostname, host: hostname, protocol: 'http:', port: String(port) }
  connect(asked, (error, socket) => (error === null ? resolve(socket) : reject(error)))
  return promise
}
