import { lookup as lookupBySystem, Resolver } from 'node:dns/promises'
import { isPrivateName } from './reach.ts'

/** All addresses of a name; a name without any rejects. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

/**
 * Public names are asked of the name servers without a thread: the system's own look-up holds one of
 * the process's four threads for as long as a user's name server cares to be silent. Private names,
 * which only an operator's network answers, go the system's way (hosts file, search domains).
 */
export function createLookup(options: { servers?: readonly string[] } = {}): Lookup {
  const resolver = new Resolver({ timeout: 1500, tries: 2 })
  if (options.servers !== undefined) resolver.setServers(options.servers)
  return async (hostname) => {
    if (isPrivateName(hostname)) {
      const found = await lookupBySystem(hostname, { all: true, order: 'ipv4first' })
      return found.map(({ address }) => address)
    }
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason
    return [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}
