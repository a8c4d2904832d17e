import { headingId } from '../ui/help/heading-id.ts'

/** A section of a page of the docs, for the search. */
export interface Section {
  page: string
  /** Title of the page. */
  title: string
  /** Heading of the section; empty at the start of a page. */
  heading: string
  /** Id of the heading. */
  hash: string
  /** Words of the section, without Markdown. */
  text: string
}

/** The sections of a page, in order. */
export function sectionsOf(page: string, markdown: string): Section[] {
  const sections: Section[] = []
  let title = ''
  let isCode = false
  for (const line of markdown.replaceAll(/<!--[\s\S]*?-->/g, '').split('\n')) {
    if (/^\s*```/.test(line)) {
      isCode = !isCode
      continue
    }
    const [, signs = '', words = ''] = isCode ? [] : (/^(#{1,3}) (.+)$/.exec(line) ?? [])
    const heading = plainText(words)
    if (signs === '#') title = heading
    if (signs === '') {
      const last = sections.at(-1)
      const text = isCode ? line.trim() : plainText(line)
      if (last !== undefined && text !== '') last.text += `${last.text === '' ? '' : ' '}${text}`
    } else if (signs === '#') sections.push({ page, title, heading: '', hash: '', text: '' })
    else sections.push({ page, title, heading, hash: headingId(heading), text: '' })
  }
  return sections
}

function plainText(line: string): string {
  return line
    .replace(/^\s*(?:[-*>]|\d+\.)\s+/, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`|\*\*/g, '')
    .replaceAll(/\||-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
