import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Agent } from '../../../sdk/generated.ts'
import { useAgent } from '../../data/agents.ts'
import { bodyOf, formOf } from '../../parts/agents/form.ts'
import { storeDraft } from '../../parts/editor/editor.tsx'
import { BackToAgent } from '../../parts/versions/back-to.tsx'
import { History } from '../../parts/versions/history.tsx'
import { useSession } from '../../session/session.tsx'
import { Found } from '../../ui/found.tsx'
import { Page } from '../../ui/page.tsx'

/** The history of an agent: what changed, and going back. */
export function AgentVersionsScreen(): ReactNode {
  const { agentId } = useParams({ from: '/agents/$agentId/versions' })
  const query = useAgent(agentId)
  return (
    <Found query={query} tab="Versions" lines={10}>
      {(agent) => <Shown agent={agent} />}
    </Found>
  )
}

function Shown({ agent }: { agent: Agent }): ReactNode {
  const { muster } = useSession()
  const navigate = useNavigate()
  const search = useSearch({ from: '/agents/$agentId/versions' })
  const { id, name } = agent
  const params = { agentId: id }
  const edit = async (version: number) => {
    const { definition } = await muster.agents.versions.retrieve(id, String(version))
    storeDraft(`agent.${id}`, formOf({ ...agent, ...definition }), formOf(agent), bodyOf)
    await navigate({ to: '/agents/$agentId', params })
  }
  return (
    <Page
      title="Versions"
      tab={`Versions of ${name}`}
      above={<BackToAgent id={id} name={name} />}
      about="Every change of an agent makes a version. Workflows use the one that is live."
    >
      <History
        kind="agents"
        resource={agent}
        search={search}
        show={(next) => void navigate({ to: '/agents/$agentId/versions', params, search: next })}
        edit={edit}
      />
    </Page>
  )
}
