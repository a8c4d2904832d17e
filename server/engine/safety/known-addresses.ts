import type { Database } from '../../db/client.ts'
import { fetchAction } from '../../tools/contract.ts'
import { hasReadPrivateData, isOwnAddress, KnownAddresses, publicTools } from './fetch-rule.ts'
import type { ToolCall } from '../run/ledger.ts'
import { readPast, readSources, type Moment } from '../reads/past-calls.ts'

/** The rule of `fetch-rule.ts`, applied to a run's ledger before a turn. */

/**
 * Addresses that a turn may fetch without approval; undefined for any, if the run has read nothing
 * private.
 */
export async function knownAddresses(
  database: Database,
  moment: Moment,
  given: string[],
): Promise<KnownAddresses | undefined> {
  if (!hasReadPrivateData(await readPast(database, moment))) return undefined
  return new KnownAddresses(given, await readSources(database, moment, publicTools))
}

/** Why a call needs approval, if that is because of `fetch-rule.ts`. */
export async function whyFetchAsks(
  database: Database,
  step: Omit<Moment, 'turn'>,
  { tool, sensitive, input, turn }: ToolCall,
  given: string[],
): Promise<string | undefined> {
  if (tool !== fetchAction || !sensitive) return undefined
  const known = await knownAddresses(database, { ...step, turn }, given)
  if (!isOwnAddress(input, known)) return undefined
  // In normalized form, which reveals look-alike host names.
  const { href } = new URL(String(input?.['url']))
  return (
    'This run has read private data, and the address was in neither its input, a search result nor a ' +
    `page that it read, so the agent may have put that data into it. The whole address: ${href}`
  )
}
