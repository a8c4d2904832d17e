import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'
import { badSetting } from '../config-error.ts'
import { isMetadataAddress, parseAddress, type Address } from './address.ts'

/** The networks that an operator opens although they are private (`MUSTER_ALLOWED_NETWORKS`). */
export interface AllowedNetworks {
  readonly cidrs: readonly string[]
  includes(address: string): boolean
}

const variable = 'MUSTER_ALLOWED_NETWORKS'
const maxNetworks = 100

/**
 * Comma-separated CIDRs; nothing or an empty text allows no network. A bad entry throws a
 * `ConfigError`.
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
