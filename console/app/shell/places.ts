import {
  Bot,
  Cable,
  CalendarClock,
  CircleDollarSign,
  FileClock,
  Files,
  GraduationCap,
  House,
  Inbox,
  Layers,
  KeyRound,
  MailOpen,
  Megaphone,
  ListTree,
  Cpu,
  PiggyBank,
  Scale,
  Users,
  Webhook,
  Workflow,
  Zap,
  type LucideIcon,
} from 'lucide-react'
import type { Rights } from '../../session/roles.ts'

/** The screens, in the order of the navigation. */
export interface Place {
  to: string
  label: string
  icon: LucideIcon
  /** The second key after `g`. */
  key: string
  needs?: keyof Rights
}

const groups: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: 'Work',
    places: [
      { to: '/', label: 'Home', icon: House, key: 'h' },
      { to: '/inbox', label: 'Inbox', icon: Inbox, key: 'i' },
      { to: '/runs', label: 'Runs', icon: ListTree, key: 'r' },
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
    ],
  },
  {
    title: 'Triggers',
    places: [
      { to: '/schedules', label: 'Schedules', icon: CalendarClock, key: 'd' },
      { to: '/inbound-hooks', label: 'Hooks', icon: Zap, key: 't' },
      { to: '/mailboxes', label: 'Mailboxes', icon: MailOpen, key: 'x' },
    ],
  },
  {
    title: 'Connections',
    places: [
      { to: '/connectors', label: 'Connectors', icon: Cable, key: 'c' },
      { to: '/model-providers', label: 'Model providers', icon: Cpu, key: 'm' },
      { to: '/channels', label: 'Channels', icon: Megaphone, key: 'v' },
      { to: '/webhooks', label: 'Webhooks', icon: Webhook, key: 'b' },
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
