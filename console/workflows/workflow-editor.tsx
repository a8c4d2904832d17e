import { useQueryClient } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import type { Workflow } from '../../sdk/generated.ts'
import { useSession } from '../session/session.tsx'
import { Editor } from '../ui/editor.tsx'
import { bodyOf, formOf } from './form.ts'
import { FormView } from './form-view.tsx'

export function WorkflowEditor({ workflow }: { workflow: Workflow }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const saved = useMemo(() => formOf(workflow), [workflow])
  const { id } = workflow
  return (
    <Editor
      name={`workflow.${id}`}
      saved={saved}
      savedAt={workflow.updated_at}
      bodyOf={bodyOf}
      save={async (form) => {
        queries.setQueryData(['workflow', id], await muster.workflows.update(id, bodyOf(form)))
        void queries.invalidateQueries({ queryKey: ['workflows'] })
      }}
      look={async () => {
        const now = await muster.workflows.retrieve(id)
        queries.setQueryData(['workflow', id], now)
        return formOf(now)
      }}
      view={FormView}
    />
  )
}
