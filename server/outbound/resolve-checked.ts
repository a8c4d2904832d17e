import { isIP } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { within } from '../within.ts'
import type { Lookup } from './lookup.ts'
import { notPublic, OutboundError, refuse, toLookupError } from './outbound-error.ts'
import { refuseAddresses, refuseTarget, toTarget, type ReachRules, type Target } from './reach.ts'

export interface LookupRules extends ReachRules {
  lookup: Lookup
  /**
   * A refusal that took a look-up comes at a whole multiple of this, 0 by default: at once. The time would
   * tell names that stand for private addresses from those that stand for none.
   */
  refusalMs?: number | undefined
}

/** What a host that passed `checkUrl` stands for now, as below, but in time. */
export function resolveInTime(
  url: URL,
  { timeoutMs = 5000, ...rules }: LookupRules & { timeoutMs?: number },
): Promise<readonly string[]> {
  const late = (): Error => new OutboundError('dns', notPublic(url.hostname))
  return within(timeoutMs, resolveChecked(toTarget(url), rules), late)
}

/** The addresses of a target, after each was checked; rejects with an `OutboundError`. */
export async function resolveChecked(
  target: Target,
  options: LookupRules,
): Promise<readonly string[]> {
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
