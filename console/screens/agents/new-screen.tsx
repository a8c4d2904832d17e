import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { NewScreen } from '../../parts/editor/editor.tsx'
import { WayBack } from '../../ui/page.tsx'
import { bodyOf, emptyForm } from '../../parts/agents/form.ts'
import { FormView } from './form-view.tsx'

export function NewAgentScreen(): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <NewScreen
      title="New agent"
      about="A standing agent has its own instructions, tools and memory, and works in any number of workflows."
      above={<WayBack to="/agents" label="Agents" />}
      action="Create the agent"
      name="agent.new"
      empty={emptyForm}
      create={async (form) => {
        const { id } = await muster.agents.create(bodyOf(form))
        await queries.invalidateQueries({ queryKey: ['agents'] })
        return { leave: () => navigate({ to: '/agents/$agentId', params: { agentId: id } }) }
      }}
      view={FormView}
    />
  )
}
