import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import type { Workflow } from '../../sdk/generated.ts'
import { useSession } from '../session/session.tsx'
import { useDraft } from '../ui/draft.ts'
import { faultOf } from '../ui/fault.ts'
import { SaveBar, StaleNotice } from '../ui/save-bar.tsx'
import { bodyOf, formOf, type Form } from './form.ts'
import { FormView } from './form-view.tsx'

interface Draft {
  form: Form
  /** The workflow's time of change that the draft began from. */
  base: string
}

/** Edits a draft; what somebody else saved meanwhile is shown, not overwritten unseen. */
export function WorkflowEditor({ workflow }: { workflow: Workflow }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const saved = useMemo(() => formOf(workflow), [workflow])
  const [draft, setDraft, clear] = useDraft<Draft | undefined>(`workflow.${workflow.id}`, undefined)
  const form = draft?.form ?? saved
  const isChanged =
    draft !== undefined && JSON.stringify(bodyOf(form)) !== JSON.stringify(bodyOf(saved))
  const isStale = isChanged && draft.base !== workflow.updated_at
  const save = useMutation({
    mutationFn: () => muster.workflows.update(workflow.id, bodyOf(form)),
    onSuccess: async (changed) => {
      queries.setQueryData(['workflow', workflow.id], changed)
      clear()
      await queries.invalidateQueries({ queryKey: ['workflows'] })
    },
  })
  const discard = () => {
    clear()
    save.reset()
  }
  return (
    <>
      <FormView
        form={form}
        change={(form) => setDraft({ form, base: draft?.base ?? workflow.updated_at })}
        fault={faultOf(save.error)}
      />
      {isChanged && (
        <SaveBar
          action={isStale ? 'Save over it' : 'Save'}
          isBusy={save.isPending}
          error={save.error}
          save={() => save.mutate()}
          discard={discard}
        >
          {isStale && <StaleNotice changedAt={workflow.updated_at} discard={discard} />}
        </SaveBar>
      )}
    </>
  )
}
