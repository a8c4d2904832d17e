import { request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { isPublicAddress } from './address.ts'
import { OutboundError } from './outbound-error.ts'
import { isPrivateName } from './destination.ts'

/**
 * The operator's proxy for outgoing connections (`MUSTER_EGRESS_PROXY`). Every call through it is a
 * CONNECT tunnel, even for `http://`, so that the proxy sees neither headers nor bodies of
 * `https://` calls and TLS ends at the target. undici's `ProxyAgent` would send the host name in
 * CONNECT and let the proxy resolve it; a guarded call sends the checked address, see
 * `guarded-connect.ts`.
 */
export interface EgressProxy {
  hostname: string
  port: number
  /** Value of `Proxy-Authorization`. */
  authorization: string | undefined
}

// A proxy may have no IPv6 although the name has such an address.
const maxHostsTried = 3

/**
 * A tunnel to the first host that the proxy can reach within the timeout. Rejects with an
 * `OutboundError`, whose message names neither the proxy nor its credentials.
 */
export async function openTunnel(
  proxy: EgressProxy,
  hosts: readonly string[],
  port: number,
  timeoutMs: number,
): Promise<Socket> {
  const tried = hosts.toSorted((a, b) => isIP(a) - isIP(b)).slice(0, maxHostsTried)
  let failure: unknown
  for (const host of tried) {
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
    try {
      return await connectThrough(proxy, authority, timeoutMs / tried.length)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function connectThrough(proxy: EgressProxy, path: string, timeoutMs: number): Promise<Socket> {
  const { hostname: host, port, authorization } = proxy
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const asked = request({
    host,
    port,
    method: 'CONNECT',
    path,
    headers: {
      host: path,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
    agent: false,
  })
  const late = noTunnel('did not open the connection in time')
  const timer = setTimeout(() => asked.destroy(late), timeoutMs)
  asked.on('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    clearTimeout(timer)
    socket.on('error', () => undefined)
    if (statusCode === 200) {
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
      return
    }
    socket.destroy()
    const isDenied = statusCode === 407
    const why = isDenied ? 'does not accept the credentials' : 'refused the connection'
    reject(noTunnel(`${why} (${statusCode})`))
  })
  asked.on('error', (error: NodeJS.ErrnoException) => {
    clearTimeout(timer)
    const { code } = error
    const failed = noTunnel(`cannot be reached (${code ?? 'no HTTP'})`, error)
    // The code distinguishes a shortage of this machine from a fault of the provider.
    reject(error === late ? late : Object.assign(failed, { code }))
  })
  asked.end()
  return promise
}

function noTunnel(why: string, cause?: unknown): OutboundError {
  return new OutboundError('connect', `the egress proxy ${why}`, cause)
}

/**
 * Connects to hosts that the operator names, such as model providers, by name, which the proxy
 * resolves. Private names and addresses are reached directly.
 */
export function connectForOperator(
  proxy: EgressProxy | undefined,
  timeoutMs: number,
): buildConnector.connector {
  const direct = buildConnector({ timeout: timeoutMs, allowH2: false })
  if (proxy === undefined) return direct
  return connectOver(direct, async (target) => {
    const hostname = target.hostname.replace(/^\[|\]$/g, '')
    const isInside = isIP(hostname) === 0 ? isPrivateName(hostname) : !isPublicAddress(hostname)
    if (isInside) return undefined
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    return openTunnel(proxy, [hostname], port, timeoutMs)
  })
}

/** Connects over the tunnel that `open` returns, or directly if it returns none. */
export function connectOver(
  direct: buildConnector.connector,
  open: (target: buildConnector.Options) => Promise<Socket | undefined>,
): buildConnector.connector {
  return async (target, callback) => {
    const tunnel = await open(target).catch((error: Error) => error)
    if (tunnel instanceof Error) callback(tunnel, null)
    else if (tunnel === undefined) direct(target, callback)
    else if (target.protocol === 'https:') direct({ ...target, httpSocket: tunnel }, callback)
    else callback(null, tunnel)
  }
}
