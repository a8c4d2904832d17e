import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { countWaiting, usePending } from '../../data/inbox.ts'
import { Live } from '../../data/live/live.tsx'
import { useSession } from '../../session/session.tsx'
import { Announcer } from '../../ui/focus/announce.tsx'
import { focusPage, useKeepFocus } from '../../ui/focus/keep-focus.ts'
import { useKeys, useNoHeldEnter } from '../../ui/keys.ts'
import { setTitle } from '../../ui/page.tsx'
import { useNoStrayDrops } from '../../ui/stray-drops.ts'
import { toggleExactTimes } from '../../ui/text/exact-times.ts'
import { ArmedKey } from './armed-key.tsx'
import { KeyHelp } from './key-help.tsx'
import { BottomBar, Navigation } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { placesFor } from './places.ts'
import { Updated } from './updated.tsx'

/** The frame around every screen. */
export function Shell(): ReactNode {
  const { rights } = useSession()
  const navigate = useNavigate()
  const [opened, setOpened] = useState<'palette' | 'keys'>()
  const { data: pending = [] } = usePending()
  const path = useRouterState({ select: (state) => state.location.pathname })
  const waiting = pending.length === 0 ? '' : countWaiting(pending)

  useEffect(() => setTitle({ waiting }), [waiting])
  useEffect(() => {
    // A page with a hash scrolls to what it names.
    if (location.hash === '') scrollTo(0, 0)
  }, [path])
  useFocusOnPage()
  useKeepFocus()
  useNoHeldEnter()
  useNoStrayDrops()
  useKeys({
    '?': () => setOpened('keys'),
    t: toggleExactTimes,
    '/': () => document.querySelector<HTMLElement>('main input[type=search]')?.focus(),
    ...Object.fromEntries(
      placesFor(rights).map(({ key, to }) => [`g ${key}`, () => void navigate({ to })]),
    ),
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpened('palette')
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  const chrome = { waiting, openPalette: () => setOpened('palette') }
  return (
    <div className="flex min-h-dvh">
      <a
        href="#screen"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('screen')?.focus()
        }}
        className="sr-only z-50 rounded-md bg-accent-fill px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <Navigation {...chrome} />
      <main id="screen" tabIndex={-1} className="min-w-0 flex-1 pb-16 outline-none md:pb-0">
        <Outlet />
      </main>
      <BottomBar {...chrome} />
      <Live />
      <ArmedKey />
      <Updated />
      <Announcer />
      {opened === 'palette' && <Palette close={() => setOpened(undefined)} />}
      {opened === 'keys' && <KeyHelp close={() => setOpened(undefined)} />}
    </div>
  )
}

/** After a change of page the focus is on its heading. The inbox moves it among its cases itself. */
function useFocusOnPage(): void {
  const screen = useRouterState({
    select: ({ resolvedLocation }) => resolvedLocation?.pathname.replace(/^(\/inbox)\/.*/, '$1'),
  })
  const last = useRef<string>(undefined)
  useEffect(() => {
    if (last.current !== undefined && screen !== last.current) focusPage()
    last.current = screen
  }, [screen])
}
