import {
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { Page } from '../../sdk/page.ts'
import { useSession } from './session.tsx'

type Ask<T> = (muster: Muster, options: { signal: AbortSignal }) => Promise<T>
type Options<T> = Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'>

/** A response of the API, cached under a key; `useRefresh` of the key refetches it. */
export function useAnswer<T>(
  queryKey: QueryKey,
  ask: Ask<T>,
  options: Options<T> = {},
): UseQueryResult<T> {
  const { muster } = useSession()
  return useQuery({ queryKey, queryFn: ({ signal }) => ask(muster, { signal }), ...options })
}

/** The first page of a list. */
export function useList<T>(
  queryKey: QueryKey,
  ask: Ask<Page<T>>,
  options?: Options<T[]>,
): UseQueryResult<T[]> {
  return useAnswer(queryKey, async (...asked) => [...(await ask(...asked))], options)
}

/** A list with more loaded pages than this is not refetched at intervals. */
export const mostLivePages = 3

interface PagesOptions {
  /** Milliseconds; without it the list is only refetched when it is stale. */
  refetchInterval?: number
  /** Shows the previous list until the new one has loaded. */
  keepsOther?: boolean
}

/** A list that loads its next page when it is scrolled to. */
export function usePages<T>(
  queryKey: QueryKey,
  ask: Ask<Page<T>>,
  { keepsOther = true, refetchInterval = Infinity }: PagesOptions = {},
): UseInfiniteQueryResult<T[]> {
  const { muster } = useSession()
  return useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) =>
      (await pageParam?.next(signal)) ?? ask(muster, { signal }),
    initialPageParam: undefined as Page<T> | undefined,
    getNextPageParam: (last) => (last.hasNext ? last : undefined),
    select: itemsOf,
    // Pages have a link to the next one, which structural sharing would drop.
    structuralSharing: false,
    // One function for all renders: another one would select the other list anew, and render again.
    ...(keepsOther && { placeholderData: other<T> }),
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) <= mostLivePages && refetchInterval < Infinity
        ? refetchInterval
        : false,
  })
}

function other<T>(before: Pages<T>): Pages<T> {
  return before
}

type Pages<T> = InfiniteData<Page<T>, Page<T> | undefined> | undefined

function itemsOf<T>({ pages }: InfiniteData<Page<T>>): T[] {
  return pages.flatMap((page) => [...page])
}

/** Refetches all queries whose key begins with one of these. */
export function useRefresh(...keys: QueryKey[]): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
}
