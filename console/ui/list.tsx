import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Loaded } from './states.tsx'

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
