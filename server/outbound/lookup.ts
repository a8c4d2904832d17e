import { lookup, Resolver } from 'node:dns/promises'
import { isPrivateName } from './reach.ts'

/** All addresses of a name; a name without any rejects. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

/** As the system does it, with its hosts file and search domains; for hosts that an operator sets. */
export const lookUpBySystem: Lookup = async (hostname) => {
  const found = await lookup(hostname, { all: true, order: 'ipv4first' })
  return found.map(({ address }) => address)
}

/**
 * Public names are asked of the name servers without a thread: the system's own look-up holds one of
 * the process's four threads for as long as a user's name server cares to be silent. Private names,
 * which only an operator's network answers, go the system's way, and so do names that the name servers do
 * not know: the system asks its hosts file, and tries its search domains.
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
      // A name server that is silent is not waited for a second time.
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
