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

/** What the API answers, kept under a key, by which a change has it read anew. */
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

/** Refetch interval of a visible list. */
export const mostLivePages = 3

interface PagesOptions {
  /** Milliseconds; who has paged far reads what is there. */
  refetchInterval?: number
  /** Shows another list until this one has come; without it there is none until then. */
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
    queryFn: async ({ pageParam, signal }) => (await pageParam?.next()) ?? ask(muster, { signal }),
    initialPageParam: undefined as Page<T> | undefined,
    getNextPageParam: (last) => (last.hasNext ? last : undefined),
    select: itemsOf,
    // A page knows the way to the next one, which a copy would not.
    structuralSharing: false,
    placeholderData: (before) => (keepsOther ? before : undefined),
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) <= mostLivePages && refetchInterval < Infinity
        ? refetchInterval
        : false,
  })
}

function itemsOf<T>({ pages }: InfiniteData<Page<T>>): T[] {
  return pages.flatMap((page) => [...page])
}

/** Reads anew what is kept under these keys, or under longer ones that begin so. */
export function useRefresh(...keys: QueryKey[]): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
}
