import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, type ReactNode } from 'react'
import type { Agent } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Editor } from '../../parts/editor/editor.tsx'
import { bodyOf, agentForm } from '../../parts/agents/form.ts'
import { FormView } from './form-view.tsx'

export function AgentEditor({ agent }: { agent: Agent }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const saved = useMemo(() => agentForm(agent), [agent])
  const { id } = agent
  return (
    <Editor
      name={`agent.${id}`}
      saved={saved}
      savedAt={agent.updated_at}
      bodyOf={bodyOf}
      save={async (form, note) => {
        const body = { ...bodyOf(form), note }
        const ifMatch = agent.version
        queries.setQueryData(['agent', id], await muster.agents.update(id, body, { ifMatch }))
        void queries.invalidateQueries({ queryKey: ['agents'] })
        void queries.invalidateQueries({ queryKey: ['versions', id] })
      }}
      drafts={{
        save: async (form, note) => {
          const body = { ...bodyOf(form), note, draft: true }
          const now = await muster.agents.update(id, body, { ifMatch: agent.version })
          void queries.invalidateQueries({ queryKey: ['versions', id] })
          return now.last_version
        },
        show: (version) =>
          void navigate({
            to: '/agents/$agentId/versions',
            params: { agentId: id },
            search: { version },
          }),
      }}
      look={async () => {
        const now = await muster.agents.retrieve(id)
        queries.setQueryData(['agent', id], now)
        return agentForm(now)
      }}
      view={FormView}
    />
  )
}
