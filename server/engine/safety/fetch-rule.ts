import { fetchAction, searchAction } from '../../tools/contract.ts'
import { ownTools } from '../../tools/own-tools.ts'
import {
  type PastStep,
  type Source,
  readPast,
  readSources,
  type Moment,
} from '../reads/past-calls.ts'
import type { Database } from '../../db/client.ts'
import type { ToolCall } from '../run/ledger.ts'

/**
 * Which addresses an agent may fetch without approval once its run has read private data. A
 * malicious text can make a model put private data into an address, so from then on only addresses
 * pass that the agent did not write: they appear literally in the instructions, the run's input, a
 * person's answer, a search result or a page. Messages, notes and outputs of agents do not count,
 * and neither do results of other tools, which are private. All of this is read from the ledger, so
 * the rule holds whichever worker executes the run.
 */

/** Tools whose results are not private. */
const publicTools: readonly string[] = [fetchAction, searchAction, ownTools.request_input.id]

export function hasReadPrivateData(past: PastStep[]): boolean {
  return past.some(
    ({ sawPrivateData, calls }) =>
      sawPrivateData || calls.some(({ tool, wasMade }) => wasMade && !publicTools.includes(tool)),
  )
}

/**
 * Addresses that the agent did not write itself. `given` are texts that people wrote before the run
 * started.
 */
export class KnownAddresses {
  readonly #known = new Set<string>()

  constructor(given: string[], sources: Source[]) {
    for (const text of given) this.#add(text)
    for (const { tool, status, output } of sources) {
      // An error message repeats the address that the agent asked for.
      if (status !== 'succeeded' || output === null || !publicTools.includes(tool)) continue
      const page = tool === fetchAction ? /^\S+/.exec(output)?.[0] : undefined
      this.#add(output, page)
    }
  }

  /** A text that is not an address passes: nothing is sent for it. */
  has(address: string): boolean {
    const key = keyOf(address)
    return key === undefined || this.#known.has(key)
  }

  #add(text: string, page?: string): void {
    for (const written of addressesIn(text)) {
      const key = keyOf(written)
      if (key !== undefined) this.#known.add(key)
    }
    if (page === undefined || !URL.canParse(page)) return
    // Links of a page appear in brackets, as the page wrote them: absolute or relative.
    for (const [, link = ''] of text.matchAll(/[[(]([^\s[\]()<>"]{1,2048})[\])]/g)) {
      const key = keyOf(URL.parse(link, page)?.href ?? '')
      if (key !== undefined) this.#known.add(key)
    }
  }
}

/** Whether arguments of `web.fetch` name an address that the agent may have written itself. */
export function isOwnAddress(input: unknown, known: KnownAddresses | undefined): boolean {
  const { url } = (input ?? {}) as { url?: unknown }
  return known !== undefined && typeof url === 'string' && !known.has(url)
}

/**
 * Addresses are equal if they differ only in the host's spelling, http or https, `www.`, a trailing
 * slash or the fragment, which is never sent. Escapes are not decoded: which characters are escaped
 * could carry data.
 */
function keyOf(address: string): string | undefined {
  const url = URL.parse(address.split('#')[0] ?? '')
  if (url === null) return undefined
  const { protocol, username, password, hostname, port, pathname, search } = url
  const scheme = protocol === 'http:' || protocol === 'https:' ? '' : protocol
  const name = hostname.replace(/\.$/, '').replace(/^www\./, '')
  const path = pathname.replace(/\/$/, '')
  return JSON.stringify([scheme, username, password, name, port, path, search])
}

const maxAddress = 2048
/** Punctuation around an address in a sentence. */
const maxAround = 4

function* addressesIn(text: string): Generator<string> {
  for (const [word] of text.matchAll(/[^\s<>"`[\]{}\\|]+/g)) {
    if (word.length > 2 * maxAddress || !/[.:]/.test(word)) continue
    for (const part of word.split(/[,;](?=https?:)/i)) {
      const start = part.search(/https?:\/\//i)
      const written =
        start === -1 ? [part, ...part.split(/[,;]/)].flatMap(bareHost) : [part.slice(start)]
      for (const address of written) yield* withoutEnd(address)
    }
  }
}

/** `example.com/path`, as people write addresses. */
function bareHost(word: string): string[] {
  const plain = word.replace(/^[^\p{L}\p{N}]{1,4}/u, '')
  const isHost = /^[\p{L}\p{N}-]+\.[\p{L}\p{N}]/u.test(plain) && !/^[^/?]*@/.test(plain)
  return isHost ? [`http://${plain}`] : []
}

function* withoutEnd(written: string): Generator<string> {
  let rest = written
  for (let cut = 0; cut <= maxAround; cut++) {
    yield rest
    const shorter = rest.replace(/[^\p{L}\p{N}/]$/u, '')
    if (shorter === rest) return
    rest = shorter
  }
}

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

/** Why a call needs approval, if that is because of this rule. */
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
