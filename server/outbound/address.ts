import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Whether an address belongs to the public internet, and to no cloud's inside. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  if (address === undefined || isMetadataAddress(address)) return false
  if (address.range() !== 'unicast') return false
  // All that is assigned lies in 2000::/3: what a later table names is not let through meanwhile.
  return address.kind() === 'ipv4' || address.match(globalUnicast, 3)
}

/** Undefined when the text is no address or names a network interface (`fe80::1%eth0`). */
export function parseAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined
  return ipaddr.process(text)
}

/** Addresses that hand out a cloud's credentials: never reached, whatever the operator allows. */
export function isMetadataAddress(address: Address): boolean {
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
