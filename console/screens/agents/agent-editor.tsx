import { useQueryClient } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import type { Agent } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Editor } from '../../parts/editor/editor.tsx'
import { bodyOf, formOf } from '../../parts/agents/form.ts'
import { FormView } from './form-view.tsx'

export function AgentEditor({ agent }: { agent: Agent }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const saved = useMemo(() => formOf(agent), [agent])
  const { id } = agent
  return (
    <Editor
      name={`agent.${id}`}
      saved={saved}
      savedAt={agent.updated_at}
      bodyOf={bodyOf}
      save={async (form) => {
        queries.setQueryData(['agent', id], await muster.agents.update(id, bodyOf(form)))
        void queries.invalidateQueries({ queryKey: ['agents'] })
      }}
      look={async () => {
        const now = await muster.agents.retrieve(id)
        queries.setQueryData(['agent', id], now)
        return formOf(now)
      }}
      view={FormView}
    />
  )
}
