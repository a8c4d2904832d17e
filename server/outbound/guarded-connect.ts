import { isIP, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { connectOver, openTunnel, type EgressProxy } from './egress-proxy.ts'
import { OutboundError, toConnectError, toLookupError } from './outbound-error.ts'
import { refuseTarget, type Target } from './reach.ts'
import { resolveChecked, type LookupRules } from './resolve-checked.ts'

export interface ConnectOptions extends LookupRules {
  connectTimeoutMs: number
  /** The way to hosts that are not in allowed networks. */
  proxy?: EgressProxy | undefined
  /** Certificate authorities in place of the system's; for tests. */
  ca?: string | undefined
}

// A name with more addresses than this has all of them checked and the first ones tried.
const maxAddressesTried = 16

/**
 * Opens sockets to one target. Look-up and check happen inside the connection: the addresses that
 * were checked are the ones that are connected to, so a name that changes in between gains nothing.
 * Address literals need a check of their own, since a socket asks no look-up for them. A proxy is given
 * the checked address, never the name, and TLS inside the tunnel asks for the name all the same.
 */
export function createGuardedConnect(
  target: Target,
  options: ConnectOptions,
): buildConnector.connector {
  const direct = buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs,
    // Not to be switched off from outside by NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    lookup: guardedLookup(target, options),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  })
  const { proxy } = options
  const connect =
    proxy === undefined
      ? direct
      : connectOver(direct, () => openGuardedTunnel(target, proxy, options))
  return (socket, callback) => {
    const why =
      socket.hostname === target.hostname
        ? refuseTarget(target, options)
        : `host ${socket.hostname} is not the one that was checked`
    if (why !== undefined) {
      queueMicrotask(() => callback(new OutboundError('refused_address', why), null))
      return
    }
    connect(socket, (error, opened) => {
      if (error === null) callback(null, opened)
      else callback(toConnectError(error, target), null)
    })
  }
}

/** Undefined where the target is in allowed networks, which are reached directly. */
async function openGuardedTunnel(
  target: Target,
  proxy: EgressProxy,
  options: ConnectOptions,
): Promise<Socket | undefined> {
  const addresses = await resolveChecked(target, options)
  if (addresses.every((address) => options.allowedNetworks.includes(address))) return undefined
  return openTunnel(proxy, addresses, target.port, options.connectTimeoutMs)
}

function guardedLookup(target: Target, options: ConnectOptions): LookupFunction {
  return async (hostname, { all }, callback) => {
    const checked = await resolveChecked({ ...target, hostname }, options).catch((error: unknown) =>
      toLookupError(error, hostname),
    )
    const addresses = checked instanceof Error ? [] : checked.slice(0, maxAddressesTried)
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (checked instanceof Error) callback(checked, [])
    else if (all === true) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }
}
