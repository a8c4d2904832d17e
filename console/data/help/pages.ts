import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { Section } from '../../build/sections.ts'
import { indexHelp, type HelpSearch } from './search.ts'

/** A page of this version's docs, as Markdown; null if it does not exist. */
export function useHelpPage(page: string): UseQueryResult<string | null> {
  return useQuery({
    queryKey: ['help', page],
    queryFn: async ({ signal }) => {
      const answer = await fetch(`/help/${page}.md`, { signal })
      const isPage = answer.ok && /markdown/.test(answer.headers.get('content-type') ?? '')
      return isPage ? withoutComments(await answer.text()) : null
    },
    staleTime: Infinity,
  })
}

/** The search over all pages, once it is asked for. */
export function useHelpSearch(isWanted: boolean): UseQueryResult<HelpSearch> {
  return useQuery({
    queryKey: ['help-search'],
    queryFn: async ({ signal }) => {
      const answer = await fetch('/help/search.json', { signal })
      if (!answer.ok) throw new Error(`Cannot search the documentation: status ${answer.status}`)
      return indexHelp((await answer.json()) as Section[])
    },
    enabled: isWanted,
    staleTime: Infinity,
  })
}

/** Comments in the docs are instructions for tests. */
function withoutComments(text: string): string {
  return text.replaceAll(/<!--[\s\S]*?-->\n*/g, '')
}
