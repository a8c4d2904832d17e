import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isNotFound } from './form/fault.ts'
import { NotFound } from './not-found.tsx'
import { usePageTitle } from './page.tsx'
import { Loaded } from './states.tsx'

interface Props<T> {
  query: UseQueryResult<T>
  /** In the tab, until its page names it. */
  tab: string
  lines: number
  children: (one: T) => ReactNode
}

/** The screen of one thing, or that there is none. */
export function Found<T>({ query, tab, lines, children }: Props<T>): ReactNode {
  usePageTitle(query.data === undefined ? tab : undefined)
  if (isNotFound(query.error)) return <NotFound />
  return (
    <Loaded query={query} lines={lines}>
      {children}
    </Loaded>
  )
}
