import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileClock, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AuditEntry } from '../../sdk/generated.ts'
import type { Page as ListPage } from '../../sdk/page.ts'
import { useSession } from '../session/session.tsx'
import { ForRole } from '../ui/for-role.tsx'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { Page, usePageTitle } from '../ui/page.tsx'
import { Empty, Loading } from '../ui/states.tsx'
import { Entry } from './entry.tsx'

const route = getRouteApi('/audit')

/** Who changed what, newest first; nothing is ever taken out. */
export function AuditScreen(): ReactNode {
  usePageTitle('Audit')
  return (
    <ForRole needs="administer" title="Audit">
      <Audit />
    </ForRole>
  )
}

function Audit(): ReactNode {
  const { muster } = useSession()
  const filters = route.useSearch()
  const query = useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: async ({ pageParam, signal }) =>
      (await pageParam?.next()) ?? muster.audit.list({ ...filters, limit: 50 }, { signal }),
    initialPageParam: undefined as ListPage<AuditEntry> | undefined,
    getNextPageParam: (last) => (last.hasNext ? last : undefined),
    structuralSharing: false,
    placeholderData: (before) => before,
  })
  const entries = query.data?.pages.flatMap((page) => [...page]) ?? []
  return (
    <Page title="Audit" about="Every change, by whom and from where.">
      <Chosen />
      <div className="panel">
        {query.error !== null && (
          <div className="p-4">
            <Failure error={query.error} retry={() => void query.refetch()} />
          </div>
        )}
        {query.isPending ? (
          <Loading lines={8} />
        ) : entries.length === 0 ? (
          <Empty icon={FileClock} title="No change is like that" />
        ) : (
          <ul aria-label="Changes" className="divide-y">
            {entries.map((entry) => (
              <li key={entry.id}>
                <Entry entry={entry} />
              </li>
            ))}
          </ul>
        )}
        {query.hasNextPage && (
          <div className="border-t p-3 text-center">
            <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </div>
    </Page>
  )
}

const names = { actor_id: 'By', action: 'Action', object_id: 'Object' } as const

/** The filters that hold, each with its way out. */
function Chosen(): ReactNode {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const held = Object.entries(filters) as [keyof typeof names, string][]
  if (held.length === 0) return null
  return (
    <ul aria-label="Filters" className="mb-4 flex flex-wrap gap-2">
      {held.map(([name, value]) => (
        <li key={name}>
          <button
            type="button"
            aria-label={`Remove the filter ${names[name]} ${value}`}
            onClick={() => void navigate({ search: { ...filters, [name]: undefined } })}
            className="flex min-h-8 items-center gap-1.5 rounded-full border border-accent bg-accent-soft px-3 text-sm text-accent"
          >
            {names[name]} <span className="font-mono text-xs wrap-anywhere">{value}</span>
            <X size={14} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  )
}
