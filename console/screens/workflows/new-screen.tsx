import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { NewScreen } from '../../parts/editor/editor.tsx'
import { WayBack } from '../../ui/page.tsx'
import { bodyOf, emptyForm } from './form.ts'
import { FormView } from './form-view.tsx'

export function NewWorkflowScreen(): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <NewScreen
      title="New workflow"
      about="A crew works in order: each agent reads the input and the outputs before it."
      above={<WayBack to="/workflows" label="Workflows" />}
      action="Create workflow"
      name="workflow.new"
      empty={emptyForm}
      create={async (form) => {
        const { id } = await muster.workflows.create(withoutNulls(bodyOf(form)))
        await queries.invalidateQueries({ queryKey: ['workflows'] })
        const params = { workflowId: id }
        return { leave: () => navigate({ to: '/workflows/$workflowId', params }) }
      }}
      view={FormView}
    />
  )
}

function withoutNulls<T extends { description?: string | null }>(body: T): T {
  return body.description === null ? { ...body, description: undefined } : body
}
