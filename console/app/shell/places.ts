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

export const places: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: 'Work',
    places: [
      { to: '/', label: 'Home', icon: House, key: 'h' },
      { to: '/inbox', label: 'Inbox', icon: Inbox, key: 'i' },
      { to: '/runs', label: 'Runs', icon: ListTree, key: 'r' },
      { to: '/batches', label: 'Batches', icon: Layers, key: 'n' },
      { to: '/usage', label: 'Usage', icon: CircleDollarSign, key: 's' },
      { to: '/budgets', label: 'Budgets', icon: PiggyBank, key: 'e' },
    ],
  },
  {
    title: 'Build',
    places: [
      { to: '/workflows', label: 'Workflows', icon: Workflow, key: 'w' },
      { to: '/schedules', label: 'Schedules', icon: CalendarClock, key: 'd' },
      { to: '/inbound-hooks', label: 'Hooks', icon: Zap, key: 't' },
      { to: '/mailboxes', label: 'Mailboxes', icon: MailOpen, key: 'x' },
      { to: '/agents', label: 'Agents', icon: Bot, key: 'a' },
      { to: '/connectors', label: 'Connectors', icon: Cable, key: 'c' },
      { to: '/model-providers', label: 'Model providers', icon: Cpu, key: 'm' },
      { to: '/files', label: 'Files', icon: Files, key: 'l' },
      { to: '/fine-tunes', label: 'Fine-tunes', icon: GraduationCap, key: 'f' },
    ],
  },
  {
    title: 'Account',
    places: [
      { to: '/channels', label: 'Channels', icon: Megaphone, key: 'v' },
      { to: '/webhooks', label: 'Webhooks', icon: Webhook, key: 'b' },
      { to: '/people', label: 'People', icon: Users, key: 'p', needs: 'administer' },
      { to: '/policies', label: 'Policies', icon: Scale, key: 'o', needs: 'administer' },
      { to: '/api-keys', label: 'API keys', icon: KeyRound, key: 'k', needs: 'administer' },
      { to: '/audit', label: 'Audit', icon: FileClock, key: 'u', needs: 'administer' },
    ],
  },
]

export function placesFor(rights: Rights): Place[] {
  return places
    .flatMap(({ places }) => places)
    .filter(({ needs }) => needs === undefined || rights[needs])
}
