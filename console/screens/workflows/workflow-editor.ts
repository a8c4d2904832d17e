import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Workflow } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { useEditor } from '../../parts/editor/editor.tsx'
import { bodyOf, formOf } from './form.ts'
import { FormView } from './form-view.tsx'

export function useWorkflowEditor(workflow: Workflow): ReturnType<typeof useEditor> {
  const { muster } = useSession()
  const queries = useQueryClient()
  const saved = useMemo(() => formOf(workflow), [workflow])
  const { id } = workflow
  return useEditor({
    name: `workflow.${id}`,
    saved,
    savedAt: workflow.updated_at,
    bodyOf,
    save: async (form) => {
      queries.setQueryData(['workflow', id], await muster.workflows.update(id, bodyOf(form)))
      void queries.invalidateQueries({ queryKey: ['workflows'] })
    },
    look: async () => {
      const now = await muster.workflows.retrieve(id)
      queries.setQueryData(['workflow', id], now)
      return formOf(now)
    },
    view: FormView,
  })
}
