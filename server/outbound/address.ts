import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'
import { badSetting } from '../config-error.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Whether an address is on the public internet, and not internal to a cloud. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  if (address === undefined || isMetadataAddress(address)) return false
  if (address.range() !== 'unicast') return false
  // All assigned addresses are in 2000::/3; ranges that are defined later stay blocked.
  return address.kind() === 'ipv4' || address.match(globalUnicast, 3)
}

/** Undefined if the text is not an address or names a network interface (`fe80::1%eth0`). */
function parseAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined
  return ipaddr.process(text)
}

/** Addresses that provide a cloud's credentials: never reachable, whatever the operator allows. */
function isMetadataAddress(address: Address): boolean {
  return metadataAddresses.has(address.toString())
}

const globalUnicast = ipaddr.parse('2000::')

const metadataAddresses = new Set(
  [
    '169.254.169.254', // AWS, Azure, Google, Oracle, DigitalOcean and others
    '169.254.169.253', // AWS, resolver
    '169.254.170.2', // AWS, container credentials
    '169.254.170.23', // AWS, pod identity
    '169.254.0.23', // Tencent
    '100.100.100.200', // Alibaba
    '168.63.129.16', // Azure, a public address
    '192.0.0.192', // Oracle
    'fd00:ec2::254', // AWS
    'fd00:ec2::253', // AWS, resolver
    'fd00:ec2::23', // AWS, pod identity
    'fd20:ce::254', // Google
    'fd00:42::42', // Scaleway
  ].map((text) => ipaddr.process(text).toString()),
)

/** Private networks that an operator allows (`MUSTER_ALLOWED_NETWORKS`). */
export interface AllowedNetworks {
  readonly cidrs: readonly string[]
  includes(address: string): boolean
}

const variable = 'MUSTER_ALLOWED_NETWORKS'
const maxNetworks = 100

/**
 * Parses comma-separated CIDRs; an empty or missing text allows no network. An invalid entry throws
 * a `ConfigError`.
 */
export function parseAllowedNetworks(text: string | undefined): AllowedNetworks {
  const cidrs = text === undefined || text.trim() === '' ? [] : text.split(',').map((c) => c.trim())
  if (cidrs.length > maxNetworks) {
    throw badSetting(variable, `a list of ${cidrs.length}`, `up to ${maxNetworks} networks`)
  }
  const networks = cidrs.map(parseNetwork)
  return {
    cidrs,
    includes: (text) => {
      const address = parseAddress(text)
      if (address === undefined || isMetadataAddress(address)) return false
      return networks.some(
        ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
      )
    },
  }
}

function parseNetwork(entry: string): [Address, number] {
  const [base = '', prefix = ''] = entry.split('/')
  const [family, bits] = [isIP(base), Number(prefix)]
  const longest = family === 4 ? 32 : 128
  const bad = (expected: string) =>
    badSetting(variable, JSON.stringify(entry.slice(0, 100)), expected)
  const isWhole = entry === `${base}/${prefix}` && /^\d{1,3}$/.test(prefix) && bits <= longest
  if (family === 0 || base.includes('%') || !isWhole) {
    throw bad('networks with a prefix, comma-separated, such as 10.0.0.0/8,fd00::/8')
  }
  const network = ipaddr.parse(base)
  // Addresses are compared in their IPv4 form, so such an entry would never match.
  if (network.kind() === 'ipv6' && network.range() === 'ipv4Mapped') {
    throw bad('an IPv4 network in its own form, such as 10.0.0.0/8')
  }
  const first = (family === 4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(entry).toString()
  if (first === network.toString()) return [network, bits]
  throw bad(`${first}/${bits} for that network or ${base}/${longest} for that address`)
}

/** Whether a host name or address means this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Whether what is read from a URL can be trusted: it comes over TLS, or does not leave this machine. */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true
  return protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, ''))
}
