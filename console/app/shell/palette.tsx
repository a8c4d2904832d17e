import { Dialog } from '@base-ui/react/dialog'
import { useNavigate } from '@tanstack/react-router'
import {
  Bot,
  Building2,
  CircleUserRound,
  Clock,
  ListTree,
  LogOut,
  Plus,
  Search,
  SunMoon,
  Workflow,
  type LucideIcon,
} from 'lucide-react'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { useAgents } from '../../data/agents.ts'
import { isTag, mostFindCharacters } from '../../data/runs/filters.ts'
import { useSession } from '../../session/session.tsx'
import { useWorkflows } from '../../data/workflows.ts'
import { useMoveAccount } from './move-account.ts'
import { groupsFor } from './places.ts'
import { setTheme, useTheme } from '../../ui/theme.ts'
import { toggleExactTimes, useExactTimes } from '../../ui/text/exact-times.ts'

interface Item {
  label: string
  kind: string
  icon: LucideIcon
  run: () => void
}

const mostShown = 12

/** One search field for screens, workflows, agents, runs by id or words, and the theme. */
export function Palette({ close }: { close: () => void }): ReactNode {
  const [words, setWords] = useState('')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const found = [...matchItems(useItems(words.trim()), words), ...useSearch(words.trim())]
  const chosen = found[Math.min(active, found.length - 1)]

  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const run = (item: Item | undefined) => {
    if (item === undefined) return
    close()
    item.run()
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (event.key === 'Enter') run(chosen)
    else if (step !== undefined && found.length > 0) {
      setActive((active + step + found.length) % found.length)
    } else return
    event.preventDefault()
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Popup className="fixed inset-x-3 top-[8vh] z-50 overflow-hidden rounded-lg border bg-raised shadow-raised sm:right-auto sm:left-1/2 sm:w-full sm:max-w-lg sm:-translate-x-1/2">
          <Dialog.Title className="sr-only">Go to</Dialog.Title>
          <input
            role="combobox"
            aria-expanded="true"
            aria-controls={id}
            aria-activedescendant={
              chosen === undefined ? undefined : `${id}-${found.indexOf(chosen)}`
            }
            aria-label="Search screens, workflows, agents, runs and actions"
            placeholder="Search screens, workflows, agents, runs and actions…"
            value={words}
            onChange={(event) => {
              setWords(event.target.value)
              setActive(0)
            }}
            onKeyDown={onKeyDown}
            className="h-12 w-full border-b bg-transparent px-4 text-lg outline-none"
          />
          <div
            ref={list}
            id={id}
            role="listbox"
            aria-label="Found"
            className="max-h-[50vh] overflow-y-auto p-1.5"
          >
            {/* The focus stays in the field above, which names the active option. */}
            {found.map((item, index) => (
              <div
                key={`${item.kind} ${item.label} ${index}`}
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                onKeyDown={onKeyDown}
                aria-selected={item === chosen}
                onPointerMove={() => setActive(index)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => run(item)}
                className="flex h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 aria-selected:bg-hover pointer-coarse:h-11"
              >
                <item.icon size={16} className="shrink-0 text-ink-faint" aria-hidden="true" />
                <span className="min-w-0 flex-1 truncate">{item.label}</span>
                <span className="text-xs text-ink-faint">{item.kind}</span>
              </div>
            ))}
          </div>
          {found.length === 0 && (
            <p className="px-4 pb-4 text-ink-soft">
              Nothing found. Type three characters or more to search runs.
            </p>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function useItems(words: string): Item[] {
  const { identity, rights, signOut } = useSession()
  const navigate = useNavigate()
  const move = useMoveAccount()
  const { person, account } = identity
  const theme = useTheme()
  const isExact = useExactTimes()
  const { data: workflows = [] } = useWorkflows()
  const { data: agents = [] } = useAgents()
  const go = (to: string) => () => void navigate({ to })
  const next = theme === 'dark' ? 'light' : 'dark'
  return [
    ...(/^run_[0-9a-z]{26}$/.test(words)
      ? [{ label: words, kind: 'Run', icon: ListTree, run: go(`/runs/${words}`) }]
      : []),
    ...groupsFor(rights).flatMap(({ title, places }) =>
      places.map(({ to, label, icon }) => ({ label, kind: title, icon, run: go(to) })),
    ),
    ...(person === undefined
      ? []
      : [
          {
            label: 'Profile and sessions',
            kind: 'Screen',
            icon: CircleUserRound,
            run: go('/profile'),
          },
        ]),
    ...(person?.accounts ?? [])
      .filter(({ id }) => id !== account.id)
      .map(({ id, name }) => ({
        label: name,
        kind: 'Account',
        icon: Building2,
        run: () => void move(id),
      })),
    ...workflows.map(({ id, name }) => ({
      label: name,
      kind: 'Workflow',
      icon: Workflow,
      run: go(`/workflows/${id}`),
    })),
    ...agents.map(({ id, name }) => ({
      label: name,
      kind: 'Agent',
      icon: Bot,
      run: go(`/agents/${id}`),
    })),
    ...(rights.write
      ? [
          { label: 'New workflow', kind: 'Action', icon: Plus, run: go('/workflows/new') },
          { label: 'New agent', kind: 'Action', icon: Plus, run: go('/agents/new') },
          { label: 'New fine-tune', kind: 'Action', icon: Plus, run: go('/fine-tunes/new') },
        ]
      : []),
    {
      label: isExact ? 'Show how long ago' : 'Show exact times',
      kind: 'Action',
      icon: Clock,
      run: toggleExactTimes,
    },
    { label: `Theme: ${next}`, kind: 'Action', icon: SunMoon, run: () => setTheme(next) },
    { label: 'Sign out', kind: 'Action', icon: LogOut, run: signOut },
  ]
}

/** A search for runs with these words or this tag. */
function useSearch(words: string): Item[] {
  const navigate = useNavigate()
  if (words.length < 3 || (words.length > mostFindCharacters && !isTag(words))) return []
  const search = isTag(words) ? { tag: [words] } : { find: words }
  const run = () => void navigate({ to: '/runs', search })
  return [{ label: `Find runs: ${words}`, kind: 'Search', icon: Search, run }]
}

/**
 * Items that contain all words, earlier matches first. Without words, all screens and commands: on
 * a phone this is the navigation.
 */
function matchItems(items: Item[], words: string): Item[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return items.filter(({ kind }) => !['Workflow', 'Agent'].includes(kind))
  return items
    .map((item) => {
      const text = `${item.label} ${item.kind}`.toLowerCase()
      const places = wanted.map((word) => text.indexOf(word))
      return { item, rank: places.includes(-1) ? Infinity : Math.max(0, ...places) }
    })
    .filter(({ rank }) => rank < Infinity)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, mostShown)
    .map(({ item }) => item)
}
