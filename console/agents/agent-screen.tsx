import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Pause, Play, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Agent } from '../../sdk/generated.ts'
import { CapabilityBadges } from '../connectors/capability-badges.tsx'
import { MemorySection } from '../memory/memory-section.tsx'
import { isNotFound } from '../session/client.ts'
import { useSession } from '../session/session.tsx'
import { NotFound } from '../shell/not-found.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { Page, Section, usePageTitle } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { Badge } from '../ui/status.tsx'
import { Text } from '../ui/text.tsx'
import { workflowsQuery } from '../workflows/queries.ts'
import { AgentEditor } from './agent-editor.tsx'
import { agentQuery } from './queries.ts'

/** One standing agent: who it is, where it works, what it remembers. */
export function AgentScreen(): ReactNode {
  const { agentId } = useParams({ from: '/agents/$agentId' })
  const { muster } = useSession()
  const query = useQuery(agentQuery(muster, agentId))
  usePageTitle(query.data?.name ?? 'Agent')
  if (isNotFound(query.error)) return <NotFound />
  return (
    <Loaded query={query} lines={10}>
      {(agent) => <Shown agent={agent} />}
    </Loaded>
  )
}

function Shown({ agent }: { agent: Agent }): ReactNode {
  const { muster, rights } = useSession()
  return (
    <Page
      title={agent.name}
      above={
        <p className="mb-1 flex items-center gap-2 text-sm text-ink-soft">
          <Link to="/agents" className="hover:underline">
            Agents
          </Link>
          {agent.status === 'paused' && <Badge tone="bad">Paused: runs that reach it fail</Badge>}
        </p>
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
            <Text text={agent.systemPrompt} />
            <CapabilityBadges capabilities={agent.capabilities} />
          </div>
        </Section>
      )}
      <MemorySection owner={{ kind: 'agent', id: agent.id }} notes={muster.agents.memory} />
    </Page>
  )
}

function UsedIn({ agent }: { agent: Agent }): ReactNode {
  const { muster } = useSession()
  const { data: workflows = [] } = useQuery(workflowsQuery(muster))
  const users = workflows.filter(({ crew }) => crew.some(({ agentId }) => agentId === agent.id))
  return (
    <p className="mb-6 text-ink-soft">
      {users.length === 0 ? 'No workflow uses it yet.' : 'It works in '}
      {users.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/workflows/$workflowId" params={{ workflowId: id }} className="link">
            {name}
          </Link>
        </span>
      ))}
      {users.length > 0 && '. A change here holds for all of them from their next runs on.'}
    </p>
  )
}

function AgentActions({ agent: { id, name, status } }: { agent: Agent }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [asks, setAsks] = useState(false)
  const pause = useMutation({
    mutationFn: () =>
      muster.agents.update(id, { status: status === 'paused' ? 'active' : 'paused' }),
    onSuccess: async (changed) => {
      queries.setQueryData(['agent', id], changed)
      await queries.invalidateQueries({ queryKey: ['agents'] })
    },
  })
  const remove = async () => {
    await muster.agents.delete(id)
    await queries.invalidateQueries({ queryKey: ['agents'] })
    await navigate({ to: '/agents' })
  }
  return (
    <>
      <Button
        icon={status === 'paused' ? Play : Pause}
        isBusy={pause.isPending}
        onClick={() => pause.mutate()}
      >
        {status === 'paused' ? 'Activate' : 'Pause'}
      </Button>
      <Button icon={Trash2} onClick={() => setAsks(true)}>
        Delete
      </Button>
      {pause.error !== null && <Failure error={pause.error} />}
      {asks && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete it"
          run={remove}
          onClose={() => setAsks(false)}
        >
          Its memory is deleted with it. Workflows that use it go on with the role and instructions
          in their own crew, without tools. It cannot be undone.
        </Confirm>
      )}
    </>
  )
}
