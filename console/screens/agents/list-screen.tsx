import { Link } from '@tanstack/react-router'
import { Bot, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { CapabilityBadges } from '../../parts/connectors/capability-badges.tsx'
import { useSession } from '../../session/session.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Badge } from '../../ui/status.tsx'
import { useAgents } from '../../data/agents.ts'

export function AgentsScreen(): ReactNode {
  const { rights } = useSession()
  const query = useAgents()
  const create = rights.write && (
    <Link to="/agents/new" className={buttonLook({ kind: 'primary' })}>
      <Plus size={15} aria-hidden="true" /> New agent
    </Link>
  )
  return (
    <ResourceList
      title="Agents"
      actions={create}
      query={query}
      lines={6}
      textOf={({ name, category, role, description, capabilities }) =>
        [name, category, role, description, ...capabilities].join(' ')
      }
      empty={{
        icon: Bot,
        title: 'No standing agents yet',
        help: 'agents',
        text: 'A standing agent keeps its instructions, tools and memory in one place, and is linked into the crews of workflows.',
        action: create,
      }}
    >
      {({ id, name, category, status, description, role, capabilities }) => (
        <Link
          to="/agents/$agentId"
          params={{ agentId: id }}
          className="grid gap-1 px-4 py-3 hover:bg-hover focus-visible:-outline-offset-2"
        >
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{name}</span>
            <span className="text-sm text-ink-faint">{category}</span>
            {status === 'paused' && <Badge tone="bad">Paused</Badge>}
          </span>
          <span className="line-clamp-1 text-sm text-ink-soft">{description ?? role}</span>
          {capabilities.length > 0 && <CapabilityBadges capabilities={capabilities} />}
        </Link>
      )}
    </ResourceList>
  )
}
