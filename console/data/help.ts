import { useQuery, type UseQueryResult } from '@tanstack/react-query'

/** A page of the docs that came with this version, as Markdown; null where there is none. */
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

/** Comments say to tests what to run. */
function withoutComments(text: string): string {
  return text.replaceAll(/<!--[\s\S]*?-->\n*/g, '')
}
