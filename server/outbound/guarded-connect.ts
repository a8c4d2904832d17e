import { isIP, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { connectOver, openTunnel, type EgressProxy } from './egress-proxy.ts'
import {
  OutboundError,
  toConnectError,
  toLookupError,
  notPublic,
  refuse,
} from './outbound-error.ts'
import {
  refuseTarget,
  type Target,
  isPrivateName,
  refuseAddresses,
  toTarget,
  type ReachRules,
} from './destination.ts'
import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { within } from '../within.ts'

export interface ConnectOptions extends LookupRules {
  connectTimeoutMs: number
  /** Proxy for hosts outside of the allowed networks. */
  proxy?: EgressProxy | undefined
  /** Certificate authorities instead of the system's; for tests. */
  ca?: string | undefined
}

// All addresses of a name are checked, and up to this many tried.
const maxAddressesTried = 16

/**
 * Opens sockets to one target. Lookup and check happen inside the connection: the checked addresses
 * are the ones connected to, so a name that changes in between gains nothing. Address literals are
 * checked separately, because sockets do no lookup for them. A proxy gets the checked address,
 * never the name; TLS inside the tunnel still verifies the name.
 */
export function createGuardedConnect(
  target: Target,
  options: ConnectOptions,
): buildConnector.connector {
  const direct = buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs,
    // Cannot be disabled by NODE_TLS_REJECT_UNAUTHORIZED.
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

/** Undefined if the target is in an allowed network, which is reached directly. */
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

export interface LookupRules extends ReachRules {
  lookup: Lookup
  /**
   * A rejection after a lookup is delayed to a multiple of this time, 0 by default: otherwise its
   * timing would distinguish names with private addresses from names without any.
   */
  refusalMs?: number | undefined
}

/** Resolves a host that passed `checkUrl`, within a timeout. */
export function resolveInTime(
  url: URL,
  { timeoutMs = 5000, ...rules }: LookupRules & { timeoutMs?: number },
): Promise<readonly string[]> {
  const late = (): Error => new OutboundError('dns', notPublic(url.hostname))
  return within(timeoutMs, resolveChecked(toTarget(url), rules), late)
}

/** The checked addresses of a target; rejects with an `OutboundError`. */
async function resolveChecked(target: Target, options: LookupRules): Promise<readonly string[]> {
  refuse(refuseTarget(target, options))
  if (isIP(target.hostname) !== 0) return [target.hostname]
  const startedAt = performance.now()
  try {
    return await lookUpChecked(target, options)
  } catch (error) {
    const { refusalMs = 0 } = options
    const tookMs = performance.now() - startedAt
    if (refusalMs > 0) await delay(Math.ceil(tookMs / refusalMs) * refusalMs - tookMs)
    throw error
  }
}

async function lookUpChecked(target: Target, options: LookupRules): Promise<readonly string[]> {
  const { hostname } = target
  const addresses = await options.lookup(hostname).catch((error: unknown) => {
    throw toLookupError(error, hostname)
  })
  if (addresses.length === 0) throw new OutboundError('dns', notPublic(hostname))
  refuse(refuseAddresses(target, addresses, options))
  return addresses
}

/** All addresses of a name; rejects if there are none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

/** The system's lookup, with its hosts file and search domains; for hosts that an operator sets. */
export const lookUpBySystem: Lookup = async (hostname) => {
  const found = await lookup(hostname, { all: true, order: 'ipv4first' })
  return found.map(({ address }) => address)
}

/**
 * Resolves public names directly at the name servers: the system's lookup would block one of the
 * process's four threads for as long as a user's name server does not respond. Private names, which
 * only an operator's network resolves, and names that the name servers do not know use the system's
 * lookup, with its hosts file and search domains.
 */
export function createLookup(
  options: { servers?: readonly string[]; system?: Lookup } = {},
): Lookup {
  const { system = lookUpBySystem } = options
  const resolver = new Resolver({ timeout: 1500, tries: 2 })
  if (options.servers !== undefined) resolver.setServers(options.servers)
  return async (hostname) => {
    if (isPrivateName(hostname)) return system(hostname)
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') {
      // An unresponsive name server is not tried a second time.
      if (!isUnknown(ipv4.reason)) throw ipv4.reason
      return system(hostname).catch(() => Promise.reject(ipv4.reason as Error))
    }
    return [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}

function isUnknown(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['ENOTFOUND', 'ENODATA'].includes(String(error.code))
  )
}
