import { wholeEnd } from '../../safe-text.ts'

/** Length of the batches in which text without pages is stored. */
export const pieceLength = 20_000

/** Splits a text into batches of up to `length` UTF-16 units. */
export function splitText(text: string, length = pieceLength): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    const isLast = text.length - start <= length
    const end = isLast ? text.length : endOfPiece(text, start, length)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

/** The end of a batch: after a line break, if there is one in its second half. */
export function endOfPiece(text: string, start: number, length: number): number {
  const end = start + length
  const line = text.lastIndexOf('\n', end - 1) + 1
  return line > start + length / 2 ? line : wholeEnd(text, end)
}
