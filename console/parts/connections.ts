import {
  Cable,
  CalendarClock,
  Cpu,
  MailOpen,
  Megaphone,
  SquareTerminal,
  Webhook,
  Zap,
  type LucideIcon,
} from 'lucide-react'

/** A screen about a connection to the outside world. */
export interface Connection {
  to: string
  label: string
  icon: LucideIcon
  /** The second key after `g`. */
  key: string
  about: string
}

/** By what they are for. */
export const connectionGroups: readonly { title: string; connections: readonly Connection[] }[] = [
  {
    title: 'Start runs',
    connections: [
      {
        to: '/schedules',
        label: 'Schedules',
        icon: CalendarClock,
        key: 'd',
        about: 'Start a workflow at certain times, such as every Monday at 9.',
      },
      {
        to: '/inbound-hooks',
        label: 'Hooks',
        icon: Zap,
        key: 't',
        about: 'Start a workflow when another service sends an event, such as GitHub or a form.',
      },
      {
        to: '/mailboxes',
        label: 'Mailboxes',
        icon: MailOpen,
        key: 'x',
        about: 'Start a workflow for each email that arrives in a folder.',
      },
    ],
  },
  {
    title: 'Used by agents',
    connections: [
      {
        to: '/connectors',
        label: 'Connectors',
        icon: Cable,
        key: 'c',
        about: 'Let agents act elsewhere: send email, post to Slack, call an MCP server.',
      },
      {
        to: '/tool-calls',
        label: 'Tool calls',
        icon: SquareTerminal,
        key: 'z',
        about: 'Calls of tools that your own processes execute, and who executes them.',
      },
      {
        to: '/model-providers',
        label: 'Model providers',
        icon: Cpu,
        key: 'm',
        about: 'Keys and servers of the models that agents run on.',
      },
    ],
  },
  {
    title: 'Tell people and systems',
    connections: [
      {
        to: '/channels',
        label: 'Channels',
        icon: Megaphone,
        key: 'v',
        about:
          'Tell people by email or in Slack that a run waits for them; they answer from there.',
      },
      {
        to: '/webhooks',
        label: 'Webhooks',
        icon: Webhook,
        key: 'b',
        about: 'Send your own systems a signed event when a run changes.',
      },
    ],
  },
]

export const connections: readonly Connection[] = connectionGroups.flatMap(
  ({ connections: inside }) => inside,
)
