import { Link } from '@tanstack/react-router'
import { useLayoutEffect, type ReactNode } from 'react'
import { showInvisible } from './text/invisible.ts'

interface Props {
  title: string
  /** Name of the tab; by default the title. */
  tab?: string
  /** Shown above the title: the link back. */
  above?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** A screen: its title, actions and content. */
export function Page(props: Props): ReactNode {
  const { title, tab = title, above, about, actions, children } = props
  usePageTitle(tab)
  return (
    <div className="mx-auto w-full max-w-6xl px-4 pt-5 pb-16 sm:px-8 sm:pt-8">
      <header className="mb-6 grid gap-1">
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
          <div className="min-w-0 flex-1 basis-40 sm:basis-64">
            {above}
            <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
          </div>
          {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
        </div>
        {about !== undefined && (
          <div className="max-w-2xl wrap-anywhere text-ink-soft">{about}</div>
        )}
      </header>
      {children}
    </div>
  )
}

/** The link above a title to the list that it belongs to, with the status. */
export function WayBack({
  to,
  label,
  children,
}: {
  to:
    | '/workflows'
    | '/batches'
    | '/threads'
    | '/inbound-hooks'
    | '/schedules'
    | '/agents'
    | '/webhooks'
    | '/files'
    | '/fine-tunes'
    | '/help'
    | '/connections'
  label: string
  children?: ReactNode
}): ReactNode {
  return (
    <p className="mb-1 flex flex-wrap items-center gap-2 text-sm text-ink-soft">
      <Link to={to} className="hover:underline">
        {label}
      </Link>
      {children}
    </p>
  )
}

interface SectionProps {
  title: string
  aside?: ReactNode
  children: ReactNode
}

export function Section({ title, aside, children }: SectionProps): ReactNode {
  return (
    <section className="mb-8">
      <div className="mb-2.5 flex flex-wrap items-baseline justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** Sets the tab's name, unless another component does, after the number of waiting requests. */
export function usePageTitle(title: string | undefined): void {
  useLayoutEffect(() => {
    if (title !== undefined) setTitle({ page: title })
  }, [title])
}

export function setTitle(change: { page?: string; waiting?: string }): void {
  Object.assign(current, change)
  const waiting = current.waiting !== '' ? `(${current.waiting}) ` : ''
  document.title = showInvisible(`${waiting}${current.page} · Muster`)
}

const current = { page: 'Home', waiting: '' }
