import { modKey } from '../../ui/mod-key.ts'
import { Link, useLocation } from '@tanstack/react-router'
import { ChevronDown, Ellipsis, Search } from 'lucide-react'
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { showElement } from '../../ui/focus/show.ts'
import { Mark } from '../../ui/mark.tsx'
import { AccountMenu } from './account-menu.tsx'
import { useFolded } from '../../ui/browser-settings.ts'
import { groupsFor, placesFor, type Place } from './places.ts'

interface Props {
  waiting: string
  openPalette: () => void
}

/** The navigation at the side of a wide screen. */
export function Navigation({ waiting, openPalette }: Props): ReactNode {
  const { rights } = useSession()
  const { pathname } = useLocation()
  const list = useRef<HTMLDivElement>(null)
  const around = placesFor(rights).find(({ to }) => isAt(pathname, to))?.within
  useEffect(() => {
    // On a low screen the list scrolls, and the current screen may be below its edge.
    const place = list.current?.querySelector('[aria-current=page]')
    if (list.current !== null && place != null) showElement(place, list.current)
  }, [pathname])
  return (
    <nav
      aria-label="Screens"
      className="print:hidden sticky top-0 hidden h-dvh w-56 shrink-0 flex-col border-r bg-surface md:flex"
    >
      <div className="flex items-center gap-2.5 px-4 pt-4 pb-3">
        <Mark className="size-6" />
        <span className="font-semibold tracking-tight">Muster</span>
      </div>
      <button
        type="button"
        onClick={openPalette}
        className="mx-3 mb-2 flex h-8 items-center gap-2 rounded-md border border-line bg-canvas px-2.5 text-sm text-ink-soft hover:bg-hover"
      >
        <Search size={14} aria-hidden="true" />
        <span className="flex-1 text-left">Go to…</span>
        <kbd aria-hidden="true" className="font-mono text-xs text-ink-faint">
          {modKey('K')}
        </kbd>
      </button>
      <div ref={list} className="flex-1 overflow-y-auto px-3 pb-4">
        {groupsFor(rights).map(({ title, places }) => (
          <Group
            key={title}
            title={title}
            isCurrent={places.some(({ to }) => isAt(pathname, to))}
            waiting={places.some(({ to }) => to === '/inbox') ? waiting : ''}
          >
            {places
              .filter(({ within }) => within === undefined)
              .map((place) => (
                <li key={place.to}>
                  <PlaceLink place={place} waiting={waiting} isAround={around === place.to} />
                </li>
              ))}
          </Group>
        ))}
      </div>
      <div className="border-t p-3">
        <AccountMenu />
      </div>
    </nav>
  )
}

function isAt(pathname: string, to: string): boolean {
  return pathname === to || pathname.startsWith(`${to}/`)
}

interface GroupProps {
  title: string
  /** It has the current screen. */
  isCurrent: boolean
  /** The number of waiting requests, for the group of the inbox. */
  waiting: string
  children: ReactNode
}

/** Screens under a heading that folds them. */
function Group({ title, isCurrent, waiting, children }: GroupProps): ReactNode {
  const [isFolded, fold] = useFolded(title)
  const id = useId()
  return (
    <div className="mt-2.5">
      <div>
        <button
          type="button"
          aria-expanded={!isFolded}
          aria-controls={id}
          onClick={() => fold(!isFolded)}
          className={`flex h-5 w-full items-center gap-1 rounded-sm px-2.5 text-xs font-medium hover:bg-hover hover:text-ink ${isFolded && isCurrent ? 'text-accent' : 'text-ink-faint'}`}
        >
          <span className="flex-1 text-left">{title}</span>
          {isFolded && waiting !== '' && <Waiting count={waiting} />}
          <ChevronDown
            size={13}
            aria-hidden="true"
            className={`transition-transform ${isFolded ? '-rotate-90' : ''}`}
          />
        </button>
      </div>
      <ul id={id} hidden={isFolded} className="grid pt-0.5">
        {children}
      </ul>
    </div>
  )
}

interface PlaceProps {
  place: Place
  waiting: string
  /** The current screen is one that it leads to. */
  isAround: boolean
}

function PlaceLink({ place, waiting, isAround }: PlaceProps): ReactNode {
  const { to, label, icon: Icon } = place
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      {...(isAround && { 'aria-current': 'true' as const })}
      className="flex h-7 items-center gap-2.5 rounded-md px-2.5 text-base text-ink-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent aria-[current=true]:bg-hover aria-[current=true]:text-ink"
    >
      <Icon size={16} strokeWidth={1.8} aria-hidden="true" />
      <span className="flex-1">{label}</span>
      {to === '/inbox' && waiting !== '' && <Waiting count={waiting} />}
    </Link>
  )
}

function Waiting({ count }: { count: string }): ReactNode {
  return (
    <span
      aria-label={`${count} waiting`}
      className="rounded-full bg-warn-soft px-1.5 text-xs font-semibold text-warn tabular-nums"
    >
      {count}
    </span>
  )
}

/** The navigation of a phone: four screens, and the palette for all others. */
export function BottomBar({ waiting, openPalette }: Props): ReactNode {
  const { rights } = useSession()
  const shown = placesFor(rights).filter(({ to }) =>
    ['/', '/inbox', '/runs', '/workflows'].includes(to),
  )
  const look =
    'relative grid justify-items-center gap-0.5 py-1.5 text-xs text-ink-soft aria-[current=page]:font-medium aria-[current=page]:text-accent'
  return (
    <nav
      aria-label="Screens"
      className="print:hidden fixed inset-x-0 bottom-0 z-30 grid grid-cols-5 border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {shown.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          className={look}
        >
          <Icon size={20} strokeWidth={1.7} aria-hidden="true" />
          {label}
          {to === '/inbox' && waiting !== '' && (
            <span className="absolute top-0.5 left-1/2 ml-1.5">
              <Waiting count={waiting} />
            </span>
          )}
        </Link>
      ))}
      <button type="button" onClick={openPalette} className={look}>
        <Ellipsis size={20} strokeWidth={1.7} aria-hidden="true" />
        More
      </button>
    </nav>
  )
}
