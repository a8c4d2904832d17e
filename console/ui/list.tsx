import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { FindField, isMeant, type Find } from './find.tsx'
import { Empty, Loaded } from './states.tsx'

export type Query<T> = UseQueryResult<T[]> | UseInfiniteQueryResult<T[]>

interface Props<T> {
  label: string
  query: Query<T>
  lines?: number | undefined
  /** Shown above the rows, even if there are none. */
  head?: ReactNode
  /** The search, if the list has one. */
  find?: Find<T> | undefined
  /** Shown if there are no rows. */
  empty?: ReactNode
  /** For items without an id. */
  idOf?: ((item: T) => string) | undefined
  children: (item: T) => ReactNode
}

/** A row that is a link. */
export const rowLook =
  'flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover focus-visible:-outline-offset-2'

/** Shorter lists need no search. */
const mostAtAGlance = 10
/** Limit of items that are loaded for a search; more on request. */
const mostSearched = 1_000

/** Rows in a panel, with a button for more. */
export function List<T extends object>(props: Props<T>): ReactNode {
  const { label, query, lines, head, find, empty, children } = props
  const { idOf = (item) => ('id' in item ? String(item.id) : '') } = props
  const all = query.data ?? []
  const words = find?.words ?? ''
  const pages = 'hasNextPage' in query && query.hasNextPage ? query : undefined
  const isCut = pages !== undefined && (all.length >= mostSearched || pages.isFetchNextPageError)
  const isReading = words !== '' && pages !== undefined && !isCut
  const readOn = isReading && !pages.isFetchingNextPage ? pages.fetchNextPage : undefined
  useEffect(() => void readOn?.(), [readOn])
  const found =
    find && words !== '' ? all.filter((item) => isMeant(idOf(item), find.textOf(item), words)) : all
  return (
    <div className="panel overflow-hidden">
      {head}
      {find && (words !== '' || all.length > mostAtAGlance || pages !== undefined) && (
        <FindField {...{ label, find, isReading, isCut }} found={found.length} of={all.length} />
      )}
      <Loaded query={query} {...(lines !== undefined && { lines })}>
        {() =>
          all.length === 0 && empty !== undefined ? (
            empty
          ) : found.length === 0 && words !== '' ? (
            !isReading && <Empty icon={SearchX} title="No matches" help={null} />
          ) : (
            <ul aria-label={label} className="divide-y">
              {found.map((item) => (
                <li key={idOf(item)}>{children(item)}</li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {pages !== undefined && !isReading && (
        <div className="border-t p-3 text-center">
          <Button isBusy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {words === '' ? 'Show more' : 'Search more'}
          </Button>
        </div>
      )}
    </div>
  )
}
