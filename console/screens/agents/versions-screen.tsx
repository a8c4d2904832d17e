import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { Agent } from '../../../sdk/generated.ts'
import { useAgent } from '../../data/agents.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { bodyOf, agentForm } from '../../parts/agents/form.ts'
import { storeDraft } from '../../parts/editor/editor.tsx'
import { StartForm } from '../../parts/start/start-form.tsx'
import { EarlierInputs } from '../../parts/versions/earlier-inputs.tsx'
import { BackToAgent } from '../../parts/versions/back-to.tsx'
import { History } from '../../parts/versions/history.tsx'
import { useSession } from '../../session/session.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { Found } from '../../ui/found.tsx'
import { Page } from '../../ui/page.tsx'

/** The versions of an agent, with their changes and a way to restore them. */
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
  const { muster, rights } = useSession()
  const navigate = useNavigate()
  const search = useSearch({ from: '/agents/$agentId/versions' })
  const { id, name } = agent
  const params = { agentId: id }
  const edit = async (version: number) => {
    const { definition } = await muster.agents.versions.retrieve(id, String(version))
    storeDraft(`agent.${id}`, agentForm({ ...agent, ...definition }), agentForm(agent), bodyOf)
    await navigate({ to: '/agents/$agentId', params })
  }
  return (
    <Page
      title="Versions"
      tab={`Versions of ${name}`}
      above={<BackToAgent id={id} name={name} />}
      about="Every change of an agent creates a version. Workflows use the live one; you can try a draft first."
    >
      <History
        kind="agents"
        resource={agent}
        search={search}
        show={(next) => void navigate({ to: '/agents/$agentId/versions', params, search: next })}
        edit={edit}
      >
        {(version) => rights.write && <TryIt key={version} agent={agent} version={version} />}
      </History>
    </Page>
  )
}

/** A version of an agent runs in a workflow that uses the agent. */
function TryIt({ agent: { id }, version }: { agent: Agent; version: number }): ReactNode {
  const { data: workflows = [] } = useWorkflows()
  const [chosen, setChosen] = useState('')
  const users = workflows.filter(({ crew }) => crew.some(({ agentId }) => agentId === id))
  const workflow = users.find((one) => one.id === chosen) ?? users[0]
  if (workflow === undefined) return null
  const tried = { agent_versions: { [id]: version } }
  return (
    <>
      {users.length > 1 && (
        <div className="mb-4 max-w-md">
          <SelectField
            label="Try it in"
            value={workflow.id}
            onChange={setChosen}
            options={users.map((one) => ({ value: one.id, label: one.name }))}
          />
        </div>
      )}
      <EarlierInputs
        key={`earlier ${workflow.id}`}
        workflowId={workflow.id}
        version={version}
        tried={tried}
      />
      <StartForm key={workflow.id} workflow={workflow} tried={tried} />
    </>
  )
}
