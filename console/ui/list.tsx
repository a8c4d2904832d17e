import {
  useInfiniteQuery,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Page } from '../../sdk/page.ts'
import { Button } from './button.tsx'
import { Loaded } from './states.tsx'

interface PagesOptions<T> {
  queryKey: QueryKey
  first: (options: { signal: AbortSignal }) => Promise<Page<T>>
  refetchInterval?: number
}

/** A list of the API, read a page at a time as far as somebody looks. */
export function usePages<T>({
  queryKey,
  first,
  refetchInterval,
}: PagesOptions<T>): UseInfiniteQueryResult<T[]> {
  return useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => (await pageParam?.next()) ?? first({ signal }),
    initialPageParam: undefined as Page<T> | undefined,
    getNextPageParam: (last) => (last.hasNext ? last : undefined),
    select: itemsOf,
    // A page knows the way to the next one, which a copy would not.
    structuralSharing: false,
    placeholderData: (before) => before,
    ...(refetchInterval !== undefined && { refetchInterval }),
  })
}

function itemsOf<T>({ pages }: InfiniteData<Page<T>>): T[] {
  return pages.flatMap((page) => [...page])
}

interface Props<T> {
  label: string
  query: UseQueryResult<T[]> | UseInfiniteQueryResult<T[]>
  lines?: number
  /** Above the rows, whether or not there are any. */
  head?: ReactNode
  /** In place of no rows. */
  empty?: ReactNode
  children: (item: T) => ReactNode
}

/** Rows in a panel, with the way to more of them where there are. */
export function List<T extends { id: string }>(props: Props<T>): ReactNode {
  const { label, query, lines, head, empty, children } = props
  return (
    <div className="panel overflow-hidden">
      {head}
      <Loaded query={query} {...(lines !== undefined && { lines })}>
        {(items) =>
          items.length === 0 && empty !== undefined ? (
            empty
          ) : (
            <ul aria-label={label} className="divide-y">
              {items.map((item) => (
                <li key={item.id}>{children(item)}</li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {'hasNextPage' in query && query.hasNextPage && (
        <div className="border-t p-3 text-center">
          <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </div>
  )
}
