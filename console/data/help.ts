import { useQuery, type UseQueryResult } from '@tanstack/react-query'

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

/** Comments in the docs are instructions for tests. */
function withoutComments(text: string): string {
  return text.replaceAll(/<!--[\s\S]*?-->\n*/g, '')
}
