import {
  Bot,
  Cable,
  CircleDollarSign,
  FileClock,
  Files,
  GraduationCap,
  House,
  Inbox,
  Layers,
  KeyRound,
  ListTree,
  MessagesSquare,
  PiggyBank,
  Scale,
  Users,
  Workflow,
  type LucideIcon,
} from 'lucide-react'
import { connections } from '../../parts/connections.ts'
import type { Rights } from '../../session/roles.ts'

/** The screens, in the order of the navigation. */
export interface Place {
  to: string
  label: string
  icon: LucideIcon
  /** The second key after `g`. */
  key: string
  needs?: keyof Rights
  /** The screen that leads to it; it is not in the navigation itself. */
  within?: string
}

const groups: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: 'Work',
    places: [
      { to: '/', label: 'Home', icon: House, key: 'h' },
      { to: '/inbox', label: 'Inbox', icon: Inbox, key: 'i' },
      { to: '/runs', label: 'Runs', icon: ListTree, key: 'r' },
      { to: '/threads', label: 'Threads', icon: MessagesSquare, key: 'j' },
      { to: '/batches', label: 'Batches', icon: Layers, key: 'n' },
    ],
  },
  {
    title: 'Build',
    places: [
      { to: '/workflows', label: 'Workflows', icon: Workflow, key: 'w' },
      { to: '/agents', label: 'Agents', icon: Bot, key: 'a' },
      { to: '/files', label: 'Files', icon: Files, key: 'l' },
      { to: '/fine-tunes', label: 'Fine-tunes', icon: GraduationCap, key: 'f' },
      { to: '/connections', label: 'Connections', icon: Cable, key: 'y' },
      ...connections.map((one) => ({ ...one, within: '/connections' })),
    ],
  },
  {
    title: 'Costs',
    places: [
      { to: '/usage', label: 'Usage', icon: CircleDollarSign, key: 's' },
      { to: '/budgets', label: 'Budgets', icon: PiggyBank, key: 'e' },
    ],
  },
  {
    title: 'Account',
    places: [
      { to: '/people', label: 'People', icon: Users, key: 'p', needs: 'administer' },
      { to: '/policies', label: 'Policies', icon: Scale, key: 'o', needs: 'administer' },
      { to: '/api-keys', label: 'API keys', icon: KeyRound, key: 'k', needs: 'administer' },
      { to: '/audit', label: 'Audit', icon: FileClock, key: 'u', needs: 'administer' },
    ],
  },
]

/** The groups with the screens that a role may open. */
export function groupsFor(rights: Rights): { title: string; places: Place[] }[] {
  return groups
    .map(({ title, places }) => ({
      title,
      places: places.filter(({ needs }) => needs === undefined || rights[needs]),
    }))
    .filter(({ places }) => places.length > 0)
}

export function placesFor(rights: Rights): Place[] {
  return groupsFor(rights).flatMap(({ places }) => places)
}
