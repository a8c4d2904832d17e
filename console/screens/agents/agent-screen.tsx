import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Agent } from '../../../sdk/generated.ts'
import { CapabilityBadges } from '../../parts/connectors/capability-badges.tsx'
import { HistoryLink } from '../../parts/versions/history.tsx'
import { MemorySection } from '../../parts/memory/memory-section.tsx'
import { useSession } from '../../session/session.tsx'
import { Found } from '../../ui/found.tsx'
import { Page, Section, WayBack } from '../../ui/page.tsx'
import { PauseOrDelete } from '../../ui/pause-or-delete.tsx'
import { Badge } from '../../ui/status.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { useWorkflows } from '../../data/workflows.ts'
import { AgentEditor } from './agent-editor.tsx'
import { useAgent } from '../../data/agents.ts'

/** One standing agent: its identity, its workflows and its memory. */
export function AgentScreen(): ReactNode {
  const { agentId } = useParams({ from: '/agents/$agentId' })
  const query = useAgent(agentId)
  return (
    <Found query={query} tab="Agent" lines={10}>
      {(agent) => <Shown agent={agent} />}
    </Found>
  )
}

function Shown({ agent }: { agent: Agent }): ReactNode {
  const { muster, rights } = useSession()
  return (
    <Page
      title={agent.name}
      above={
        <WayBack to="/agents" label="Agents">
          <HistoryLink kind="agents" resource={agent} />
          {agent.status === 'paused' && <Badge tone="bad">Paused: runs that reach it fail</Badge>}
        </WayBack>
      }
      about={agent.description}
      actions={rights.write && <AgentActions agent={agent} />}
    >
      <UsedIn agent={agent} />
      {rights.write ? (
        <AgentEditor agent={agent} />
      ) : (
        <Section title="Instructions">
          <div className="panel grid gap-4 p-4">
            <Markdown text={agent.systemPrompt} />
            <CapabilityBadges capabilities={agent.capabilities} />
          </div>
        </Section>
      )}
      <MemorySection owner={{ kind: 'agent', id: agent.id }} notes={muster.agents.memory} />
    </Page>
  )
}

function UsedIn({ agent }: { agent: Agent }): ReactNode {
  const { data: workflows = [] } = useWorkflows()
  const users = workflows.filter(({ crew }) => crew.some(({ agentId }) => agentId === agent.id))
  return (
    <p className="mb-6 text-ink-soft">
      {users.length === 0 ? 'No workflow uses it yet.' : 'Used in '}
      {users.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/workflows/$workflowId" params={{ workflowId: id }} className="link">
            {name}
          </Link>
        </span>
      ))}
      {users.length > 0 && '. Changes apply from the next run.'}
    </p>
  )
}

function AgentActions({ agent: { id, name, status } }: { agent: Agent }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <PauseOrDelete
      name={name}
      status={status}
      setStatus={async (status) => {
        queries.setQueryData(['agent', id], await muster.agents.update(id, { status }))
        await queries.invalidateQueries({ queryKey: ['agents'] })
      }}
      remove={async () => {
        await muster.agents.delete(id)
        await queries.invalidateQueries({ queryKey: ['agents'] })
        await navigate({ to: '/agents' })
      }}
    >
      Its memory is deleted with it. Workflows that use it go on with the role and instructions in
      their own crew, without tools.
    </PauseOrDelete>
  )
}
