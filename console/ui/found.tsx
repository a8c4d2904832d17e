import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isNotFound } from './form/fault.ts'
import { NotFound } from './not-found.tsx'
import { usePageTitle } from './page.tsx'
import { Loaded } from './states.tsx'

interface Props<T> {
  query: UseQueryResult<T>
  /** Name of the tab until the page sets it. */
  tab: string
  lines: number
  children: (one: T) => ReactNode
}

/** The screen of one object, or that it does not exist. */
export function Found<T>({ query, tab, lines, children }: Props<T>): ReactNode {
  const isMissing = isNotFound(query.error)
  usePageTitle(query.data === undefined && !isMissing ? tab : undefined)
  if (isMissing) return <NotFound />
  return (
    <Loaded query={query} lines={lines}>
      {children}
    </Loaded>
  )
}
