import { convert } from 'html-to-text'

/** The readable text of HTML from outside, for tasks: its beginning alone if it is long. */
const maxCharacters = 1_000_000
/** Time grows with the square of the nesting, so this bounds it to a second. */
const maxTags = 30_000

type Selectors = Parameters<typeof convert>[1]['selectors']

export function htmlToText(
  html: string,
  selectors: Selectors = [],
): { text: string; isCut: boolean } {
  const part = firstTags(html.slice(0, maxCharacters))
  const text = convert(part, {
    wordwrap: false,
    limits: { maxInputLength: maxCharacters, maxDepth: 200, maxChildNodes: 10_000 },
    selectors: [{ selector: 'img', format: 'skip' }, ...selectors],
  })
  return { text, isCut: part.length < html.length }
}

function firstTags(html: string): string {
  let at = -1
  for (let tags = 0; tags < maxTags; tags++) {
    at = html.indexOf('<', at + 1)
    if (at === -1) return html
  }
  return html.slice(0, at)
}
