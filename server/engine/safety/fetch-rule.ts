import { fetchAction, searchAction } from '../../tools/contract.ts'
import { ownTools } from '../../tools/own-tools.ts'
import type { PastStep, Source } from '../reads/past-calls.ts'

/**
 * Which addresses an agent may read unasked once its run has read private data. A text that persuades a model may
 * have it write private data into an address, so then only addresses pass that others wrote: they stand as they are
 * in the instructions, the run's input, a person's answer, a search result or a page. What agents say, note and hand
 * on is their own words, and the answers of other tools are private; neither vouches for an address. All of this is
 * read from the ledger, so it holds for whichever worker executes the run.
 */

/** Tools whose answers are not private. */
export const publicTools: readonly string[] = [fetchAction, searchAction, ownTools.request_input.id]

export function hasReadPrivateData(past: PastStep[]): boolean {
  return past.some(
    ({ sawPrivateData, calls }) =>
      sawPrivateData || calls.some(({ tool, wasMade }) => wasMade && !publicTools.includes(tool)),
  )
}

/** The addresses that others wrote. `given` is what people wrote before the run began. */
export class KnownAddresses {
  readonly #known = new Set<string>()

  constructor(given: string[], sources: Source[]) {
    for (const text of given) this.#add(text)
    for (const { tool, status, output } of sources) {
      // What went wrong repeats the address that the agent asked for.
      if (status !== 'succeeded' || output === null || !publicTools.includes(tool)) continue
      const page = tool === fetchAction ? /^\S+/.exec(output)?.[0] : undefined
      this.#add(output, page)
    }
  }

  /** What is no address passes: nothing is sent for it. */
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
    // A page's own links are shown as it wrote them, in brackets.
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
 * Two addresses are one where they differ in nothing but the spelling of the host, http and https, `www.`, a last
 * slash and the fragment, which is never sent. Escapes are not decoded: which of them are written could
 * say something.
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
/** Punctuation of the sentence around an address. */
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

/** `example.com/path`, as people write it. */
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
