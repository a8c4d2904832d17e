import type { Database } from '../../db/client.ts'
import { fetchAction } from '../../tools/contract.ts'
import { hasReadPrivateData, isOwnAddress, KnownAddresses, publicTools } from './fetch-rule.ts'
import type { ToolCall } from '../run/ledger.ts'
import { readPast, readSources, type Moment } from '../reads/past-calls.ts'

/** The rule of `fetch-rule.ts`, on the ledger of a run as it was before a turn. */

/** The addresses that a turn may fetch unasked; undefined for any, as nothing private was read before. */
export async function knownAddresses(
  database: Database,
  moment: Moment,
  given: string[],
): Promise<KnownAddresses | undefined> {
  if (!hasReadPrivateData(await readPast(database, moment))) return undefined
  return new KnownAddresses(given, await readSources(database, moment, publicTools))
}

/** What a person is told where the rule of `fetch-rule.ts` is why a call waits. */
export async function whyFetchAsks(
  database: Database,
  step: Omit<Moment, 'turn'>,
  { tool, sensitive, input, turn }: ToolCall,
  given: string[],
): Promise<string | undefined> {
  if (tool !== fetchAction || !sensitive) return undefined
  const known = await knownAddresses(database, { ...step, turn }, given)
  if (!isOwnAddress(input, known)) return undefined
  // As it is sent: a name that looks like another shows what it is.
  const { href } = new URL(String(input?.['url']))
  return (
    'This run has read private data, and the address was in neither its input, a search result nor a ' +
    `page that it read, so the agent may have put that data into it. The whole address: ${href}`
  )
}
