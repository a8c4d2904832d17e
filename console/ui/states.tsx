import type { LucideIcon } from 'lucide-react'
import { useSyncExternalStore, type ReactNode } from 'react'
import { onlineManager, type UseQueryResult } from '@tanstack/react-query'
import { Failure } from './failure.tsx'
import { HelpLink } from './help/help-link.tsx'
import { usePageTitle } from './page.tsx'
import type { HelpTopic } from './help/topics.ts'

interface EmptyProps {
  icon: LucideIcon
  title: string
  /** What the docs say about it; null where a filter or an address found nothing. */
  help: HelpTopic | null
  /** It is all of the page: its title is the page's. */
  isPage?: boolean
  children?: ReactNode
}

/** Says that there is nothing, and what to do about it. */
export function Empty(props: EmptyProps): ReactNode {
  const { icon: Icon, title, help, isPage = false, children } = props
  usePageTitle(isPage ? title : undefined)
  const Title = isPage ? 'h1' : 'p'
  return (
    <div className="grid justify-items-center gap-2 px-6 py-14 text-center">
      <Icon size={26} strokeWidth={1.5} className="mb-1 text-ink-faint" aria-hidden="true" />
      <Title className="text-lg font-medium">{title}</Title>
      {children !== undefined && (
        <div className="grid max-w-md justify-items-center gap-4 text-ink-soft">{children}</div>
      )}
      {help !== null && <HelpLink topic={help} />}
    </div>
  )
}

/**
 * Placeholder lines, so that nothing moves when the text arrives. Offline they say that loading
 * waits: queries are paused until the connection is back.
 */
export function Loading({
  lines = 4,
  label = 'Loading',
}: {
  lines?: number
  label?: string
}): ReactNode {
  const isOnline = useSyncExternalStore(subscribeOnline, () => onlineManager.isOnline())
  return (
    <div role="status" className="grid gap-3 p-4">
      {isOnline ? (
        <span className="sr-only">{label}…</span>
      ) : (
        <span className="text-sm text-ink-soft">
          You are offline. This loads when the connection is back.
        </span>
      )}
      {Array.from({ length: lines }, (_, line) => (
        <div
          key={line}
          className={`h-4 animate-breathe rounded-sm bg-hover ${['w-11/12', 'w-3/4', 'w-5/6', 'w-2/3'][line % 4]}`}
        />
      ))}
    </div>
  )
}

const subscribeOnline = (listener: () => void) => onlineManager.subscribe(listener)

interface LoadedProps<T> {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending'> & { refetch: () => unknown }
  lines?: number
  children: (data: T) => ReactNode
}

/**
 * A query's state: placeholder lines while it loads, its error, or its data, with an error above it
 * if refetching failed.
 */
export function Loaded<T>({ query, lines = 4, children }: LoadedProps<T>): ReactNode {
  const { data, error, isPending, refetch } = query
  if (isPending) return <Loading lines={lines} />
  return (
    <>
      {error !== null && (
        <div className="p-4">
          <Failure error={error} retry={() => void refetch()} />
        </div>
      )}
      {data !== undefined && children(data)}
    </>
  )
}
