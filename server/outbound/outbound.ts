import type { Socket } from 'node:net'
import { connectChecked, type SocketTarget } from './connect-checked.ts'
import { createGuardedTransport, type GuardedTransport } from './guarded-transport.ts'
import type { TransportOptions } from './guarded-transport.ts'
import { createLookup } from './lookup.ts'
import { resolvesPublicly } from './resolve-checked.ts'
import { checkUrl } from './url-rules.ts'

/**
 * The one way out to addresses that users give. A URL is checked when it is written, as text and by
 * what its host resolves to; again, as a URL, before each call; and at each connect the addresses are
 * looked up and checked inside the socket, so that the checked address is the one connected to.
 * Every address of a host must be public or in a network that the operator allows; an allowed network
 * also opens private names and other ports, never a cloud's metadata. What comes back is not trusted
 * either: see `guarded-transport.ts`.
 */
export interface Outbound extends GuardedTransport {
  /**
   * Why a URL that a user wrote is refused, to be put after the name of its field; undefined when it
   * is not. Looks its host up, for 5 s at most. `allowHttp: 'inside'` accepts `http://` where all
   * addresses are in networks that the operator allows.
   */
  check(url: string, options?: { allowHttp?: boolean | 'inside' }): Promise<string | undefined>
  /** A socket for another protocol than HTTP; rejects only with an `OutboundError`. */
  connect(target: SocketTarget): Promise<Socket>
}

export function createOutbound(options: TransportOptions): Outbound {
  const lookup = options.lookup ?? createLookup()
  const transport = createGuardedTransport({ ...options, lookup })
  return {
    check: async (text, { allowHttp } = {}) => {
      const written = checkUrl(text, {
        ...options,
        allowHttp: allowHttp !== undefined && allowHttp !== false,
      })
      if (!written.ok) return written.why
      const reached = await resolvesPublicly(written.url, { ...options, lookup })
      if (!reached.ok) return reached.why
      const mustBeInside = allowHttp === 'inside' && written.url.protocol === 'http:'
      if (
        !mustBeInside ||
        reached.addresses.every((address) => options.allowedNetworks.includes(address))
      )
        return undefined
      return 'scheme http is accepted only in networks that the operator allows, expected https'
    },
    connect: (target) => connectChecked(target, { ...options, lookup }),
    request: (url, call) => transport.request(url, call),
    stream: (url, call) => transport.stream(url, call),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}
