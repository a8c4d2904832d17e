import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { plural } from '../../ui/text/format.ts'
import { useKeys } from '../../ui/keys.ts'
import { usePageTitle } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { CaseList } from '../../parts/inbox/list.tsx'
import { focusCase } from './use-case-page.ts'
import { caseIdOf, isOfCase, useInbox } from '../../data/inbox.ts'
import { readInboxFilter } from '../../data/inbox-filter.ts'
import { Button } from '../../ui/button.tsx'
import { InboxFilterBar } from './filter-bar.tsx'
import { TogetherBar, TogetherProvider } from './together.tsx'

/** The list on the left, the case on the right; on a phone one at a time. */
export function InboxScreen(): ReactNode {
  return (
    <TogetherProvider>
      <InboxPage />
    </TogetherProvider>
  )
}

function InboxPage(): ReactNode {
  const query = useInbox()
  const filter = readInboxFilter(useSearch({ strict: false }))
  const isFiltered = Object.keys(filter).length > 0
  const { pendingId } = useParams({ strict: false })
  usePageTitle(pendingId === undefined ? 'Inbox' : undefined)
  const navigate = useNavigate()
  const step = useStep()
  const [oldest] = query.data ?? []
  const first = oldest && caseIdOf(oldest.pending)
  useEffect(() => {
    // On wide screens the oldest case is opened beside the list.
    if (pendingId !== undefined || first === undefined) return
    if (!matchMedia('(min-width: 1024px)').matches) return
    void navigate({
      to: '/inbox/$pendingId',
      params: { pendingId: first },
      search: true,
      replace: true,
    })
  }, [pendingId, first, navigate])
  useKeys({ j: () => step(1), k: () => step(-1) })

  const count = query.data?.length ?? 0
  const hasCase = pendingId !== undefined
  return (
    <div className="lg:flex lg:h-dvh print:block print:h-auto">
      <div
        className={`shrink-0 lg:block lg:w-80 lg:scroll-pt-28 lg:overflow-y-auto lg:border-r ${hasCase ? 'hidden print:hidden' : ''} ${count === 0 && !hasCase ? 'flex-1' : ''}`}
      >
        <header className="px-4 pt-5 pb-4 lg:sticky lg:top-0 lg:z-10 lg:border-b lg:bg-canvas lg:pt-8">
          {/* An open case has the heading of the page. */}
          <div
            data-page-heading={hasCase ? undefined : ''}
            tabIndex={-1}
            {...(hasCase ? {} : { role: 'heading', 'aria-level': 1 })}
            className="text-xl font-semibold tracking-tight"
          >
            Inbox
          </div>
          <p className="text-sm text-ink-soft" role={isFiltered ? 'status' : undefined}>
            {query.isPending
              ? 'Loading…'
              : count === 0
                ? query.data !== undefined && 'No requests'
                : `${query.hasNextPage ? `${count} or more requests` : plural(count, 'request')}, oldest first`}
          </p>
          {(count > 1 || isFiltered) && (
            <InboxFilterBar
              filter={filter}
              actions={(query.data ?? []).flatMap(({ pending }) => pending.tool ?? [])}
              change={(search, how) => void navigate({ to: '.', search, ...how })}
            />
          )}
        </header>
        <Loaded query={query} lines={6}>
          {(cases) =>
            cases.length === 0 && isFiltered ? (
              <p className="px-4 py-3 text-ink-soft">Nothing that waits matches.</p>
            ) : cases.length === 0 ? (
              <Empty icon={Inbox} title="No requests" help="approvals">
                <p>Agents’ questions and actions awaiting approval appear here.</p>
              </Empty>
            ) : (
              <CaseList cases={cases} opened={focusCase} />
            )
          }
        </Loaded>
        {query.hasNextPage && (
          <div className="p-4">
            <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
        <TogetherBar />
      </div>
      {hasCase && (
        <div className="scrolls min-w-0 flex-1 lg:overflow-y-auto">
          <div className="mx-auto max-w-3xl px-4 pt-4 pb-10 sm:px-8 lg:pt-8">
            <Outlet />
          </div>
        </div>
      )}
    </div>
  )
}

/** Steps through the list; from a case that is no longer in it, to the oldest. */
/** Whether a case follows the one that is open. */
export function useHasNext(): boolean {
  const { data: cases = [] } = useInbox()
  const { pendingId } = useParams({ strict: false })
  return cases.findIndex((one) => isOfCase(one, pendingId ?? '')) + 1 < cases.length
}

export function useStep(): (by: 1 | -1) => void {
  const { data: cases = [] } = useInbox()
  const { pendingId } = useParams({ strict: false })
  const navigate = useNavigate()
  return (by) => {
    const index = cases.findIndex((one) => isOfCase(one, pendingId ?? ''))
    const next = cases[index === -1 ? 0 : index + by]
    if (next !== undefined) {
      const pendingId = caseIdOf(next.pending)
      focusCase(pendingId)
      void navigate({ to: '/inbox/$pendingId', params: { pendingId }, search: true })
    } else if (index === -1) {
      void navigate({ to: '/inbox', search: true })
    }
  }
}
