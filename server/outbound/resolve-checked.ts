import { isIP } from 'node:net'
import type { Lookup } from './lookup.ts'
import { notPublic, OutboundError, toLookupError } from './outbound-error.ts'
import { refuseAddresses, refuseTarget, toTarget, type ReachRules, type Target } from './reach.ts'

export type ReachVerdict = { ok: true; addresses: readonly string[] } | { ok: false; why: string }

export interface ResolveOptions extends ReachRules {
  lookup: Lookup
  timeoutMs?: number
}

/** Whether a host that passed `checkUrl` stands for accepted addresses now, all of them. */
export async function resolvesPublicly(url: URL, options: ResolveOptions): Promise<ReachVerdict> {
  const { hostname } = url
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timeoutMs = options.timeoutMs ?? 5000
  const timer = setTimeout(() => reject(new OutboundError('dns', notPublic(hostname))), timeoutMs)
  try {
    const addresses = await Promise.race([resolveChecked(toTarget(url), options), late])
    return { ok: true, addresses }
  } catch (error) {
    return { ok: false, why: toLookupError(error, hostname).message }
  } finally {
    clearTimeout(timer)
  }
}

/** The addresses of a target, after each was checked; rejects with an `OutboundError`. */
export async function resolveChecked(
  target: Target,
  options: ReachRules & { lookup: Lookup },
): Promise<readonly string[]> {
  const { hostname } = target
  const refuse = (why: string | undefined): void => {
    if (why !== undefined) throw new OutboundError('refused_address', why)
  }
  refuse(refuseTarget(target, options))
  if (isIP(hostname) !== 0) return [hostname]
  const addresses = await options.lookup(hostname).catch((error: unknown) => {
    throw toLookupError(error, hostname)
  })
  if (addresses.length === 0) throw new OutboundError('dns', notPublic(hostname))
  refuse(refuseAddresses(target, addresses, options))
  return addresses
}
