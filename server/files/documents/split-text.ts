import { wholeEnd } from '../../storable.ts'

/** Pieces in which the text of other files is kept. */
export const pieceLength = 20_000

/** A text in pieces of up to `length` UTF-16 units. */
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

/** Where a piece ends: at the end of a line where one ends in its last half. */
export function endOfPiece(text: string, start: number, length: number): number {
  const end = start + length
  const line = text.lastIndexOf('\n', end - 1) + 1
  return line > start + length / 2 ? line : wholeEnd(text, end)
}
