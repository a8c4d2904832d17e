import stringWidth from 'string-width'

/** Lines that fit a terminal without breaking words. */

/** Columns of a terminal; undefined for a file or a program, whose lines may have any length. */
export function columnsOf({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY && columns > 0 ? columns : undefined
}

/** Columns that a text takes: two for wide characters and emoji, none for styles. */
export function widthOf(text: string): number {
  return stringWidth(text)
}

/**
 * Breaks lines at spaces; a word that is longer than a line stays whole. Lines after the first begin
 * with `indent`. Without a width, the text is unchanged.
 */
export function wrap(text: string, width: number | undefined, indent = ''): string {
  if (width === undefined) return text
  return text
    .split('\n')
    .map((line) => wrapLine(line, width, indent))
    .join('\n')
}

function wrapLine(line: string, width: number, indent: string): string {
  if (widthOf(line) <= width) return line
  const lines: string[] = []
  // Spaces belong to the word after them; a break replaces one of them, so that no other is lost.
  const words = line.match(/ *[^ ]+| +$/g) ?? [line]
  let current = ''
  for (const word of words) {
    if (current !== '' && widthOf(current + word) > width) {
      lines.push(current)
      current = indent + word.slice(1)
    } else current += word
  }
  return [...lines, current].join('\n')
}
