import { endOfPiece, pieceLength } from './documents/split-text.ts'
import { notUtf8 } from './media-type.ts'

/**
 * Splits UTF-8 bytes into batches of up to `length` UTF-16 units, which end with a line if one ends
 * in their second half. Throws `refuse()` if the bytes are not UTF-8.
 */
export async function* textPieces(
  parts: AsyncIterable<Uint8Array>,
  refuse: (why: string) => Error,
  length = pieceLength,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (part?: Uint8Array): string => {
    let text: string
    try {
      text = decoder.decode(part, { stream: part !== undefined })
    } catch {
      throw refuse(notUtf8)
    }
    if (text.includes('\0')) throw refuse('the text holds a NUL, so it is none')
    return text
  }
  let rest = ''
  for await (const part of parts) {
    rest += decode(part)
    let start = 0
    while (rest.length - start > length) {
      const end = endOfPiece(rest, start, length)
      yield rest.slice(start, end)
      start = end
    }
    rest = rest.slice(start)
  }
  rest += decode()
  if (rest !== '') yield rest
}
