import MiniSearch from 'minisearch'
import type { Section } from '../../build/sections.ts'

export type HelpSearch = (words: string) => Section[]

export const mostFound = 20

/** Finds sections of the docs, the best first. */
export function indexHelp(sections: readonly Section[]): HelpSearch {
  const index = new MiniSearch({ fields: ['title', 'heading', 'text'] })
  index.addAll(
    sections.map(({ title, heading, text }, id) => {
      // The start of a page stands for the whole page.
      return { id, title, heading: heading === '' ? title : heading, text }
    }),
  )
  const options = {
    boost: { title: 3, heading: 4 },
    prefix: true,
    // Short words have too many neighbours.
    fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  }
  return (words) => {
    const all = index.search(words, { ...options, combineWith: 'AND' })
    const found = all.length > 0 ? all : index.search(words, options)
    return found.slice(0, mostFound).flatMap(({ id }) => sections[Number(id)] ?? [])
  }
}
