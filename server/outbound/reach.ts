import { notPublic } from './outbound-error.ts'
import { isIP } from 'node:net'
import { isPublicAddress } from './address.ts'
import type { AllowedNetworks } from './allowed-networks.ts'

/** What an operator lets outbound calls reach beyond public hosts on their scheme's own port. */
export interface ReachRules {
  allowedNetworks: AllowedNetworks
  /** Ports besides the scheme's own that public hosts may be called on. */
  allowedPorts?: readonly number[] | undefined
  /** Only networks that the operator allows: for plain HTTP, which must not cross the internet. */
  insideOnly?: boolean | undefined
}

export interface Target {
  /** Lower case, ASCII; an IPv6 address without brackets. */
  hostname: string
  port: number
  /** The scheme's own port. */
  defaultPort: number
}

export function toTarget(url: URL): Target {
  const defaultPort = url.protocol === 'http:' ? 80 : 443
  return {
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
    defaultPort,
  }
}

/** Why a target is refused by its name, port or literal address; undefined when it is not. */
export function refuseTarget(target: Target, rules: ReachRules): string | undefined {
  const { hostname } = target
  if (isIP(hostname) !== 0) return refuseAddresses(target, [hostname], rules)
  if (hostname.length > 253) return 'host name is too long, expected up to 253 characters'
  if (hostname.endsWith('.')) return `host ${hostname} ends in a dot, expected a host without it`
  if (!hostname.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) {
    return `host ${hostname} is not a host name, expected labels of a-z 0-9 - _ with dots between`
  }
  if (metadataNames.has(hostname)) return notPublic(hostname)
  if (rules.allowedNetworks.cidrs.length > 0) return undefined
  if (isPrivateName(hostname)) return notPublic(hostname)
  return isAcceptedPort(target, rules) ? undefined : wrongPort(target, rules)
}

/**
 * Why a target is refused by the addresses it stands for; one bad address is enough. A private name
 * or an unusual port is accepted where every address is in an allowed network.
 */
export function refuseAddresses(
  target: Target,
  addresses: readonly string[],
  rules: ReachRules,
): string | undefined {
  const others = addresses.filter((address) => !rules.allowedNetworks.includes(address))
  if (others.length === 0) return undefined
  if (isPrivateName(target.hostname) || !others.every(isPublicAddress)) {
    return notPublic(target.hostname)
  }
  if (rules.insideOnly === true) {
    return 'scheme http is accepted only in networks that the operator allows, expected https'
  }
  return isAcceptedPort(target, rules) ? undefined : wrongPort(target, rules)
}

/** Names that mean something only inside a machine or a network. */
export function isPrivateName(hostname: string): boolean {
  if (isIP(hostname) !== 0) return false
  return !hostname.includes('.') || privateSuffix.test(hostname)
}

const privateSuffix = /\.(localhost|localdomain|local|internal|home\.arpa)$/

const metadataNames = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
])

function isAcceptedPort(target: Target, rules: ReachRules): boolean {
  return target.port === target.defaultPort || (rules.allowedPorts ?? []).includes(target.port)
}

function wrongPort(target: Target, rules: ReachRules): string {
  const accepted = [...new Set([target.defaultPort, ...(rules.allowedPorts ?? [])])]
  return `port ${target.port} is not accepted, expected ${accepted.join(', ')}`
}
