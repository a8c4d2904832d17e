import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Workflow } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { useEditor } from '../../parts/editor/editor.tsx'
import { bodyOf, workflowForm } from './form.ts'
import { FormView } from './form-view.tsx'

export function useWorkflowEditor(workflow: Workflow): ReturnType<typeof useEditor> {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const saved = useMemo(() => workflowForm(workflow), [workflow])
  const { id } = workflow
  return useEditor({
    name: `workflow.${id}`,
    saved,
    savedAt: workflow.updated_at,
    bodyOf,
    save: async (form, note) => {
      const body = { ...bodyOf(form), note }
      const ifMatch = workflow.version
      queries.setQueryData(['workflow', id], await muster.workflows.update(id, body, { ifMatch }))
      void queries.invalidateQueries({ queryKey: ['workflows'] })
      void queries.invalidateQueries({ queryKey: ['versions', id] })
    },
    drafts: {
      save: async (form, note) => {
        const body = { ...bodyOf(form), note, draft: true }
        const ifMatch = workflow.version
        const now = await muster.workflows.update(id, body, { ifMatch })
        void queries.invalidateQueries({ queryKey: ['versions', id] })
        return now.last_version
      },
      show: (version) =>
        void navigate({
          to: '/workflows/$workflowId/versions',
          params: { workflowId: id },
          search: { version },
        }),
    },
    look: async () => {
      const now = await muster.workflows.retrieve(id)
      queries.setQueryData(['workflow', id], now)
      return workflowForm(now)
    },
    view: FormView,
  })
}
