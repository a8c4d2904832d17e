import { toLine } from './invisible.ts'

/** A found word with the text around it, each on one line. */
export interface Hit {
  before: string
  word: string
  after: string
}

const beforeLength = 40
const afterLength = 200

/** The first of the searched words in these texts, as the search finds it: at the beginning of a word, in any case. */
export function findHit(texts: readonly (string | null)[], search: string): Hit | undefined {
  const words = search.match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return undefined
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})[\\p{L}\\p{N}]*`, 'iu')
  for (const text of texts) {
    const found = text === null ? null : pattern.exec(text)
    if (text === null || found === null) continue
    const from = Math.max(0, found.index - beforeLength)
    const end = found.index + found[0].length
    return {
      before: (from > 0 ? '…' : '') + toLine(text.slice(from, found.index), beforeLength),
      word: toLine(found[0], afterLength),
      after: toLine(text.slice(end, end + afterLength), afterLength),
    }
  }
  return undefined
}
