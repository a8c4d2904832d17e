import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { useDraft } from '../ui/draft.ts'
import { faultOf } from '../ui/fault.ts'
import { Page, usePageTitle } from '../ui/page.tsx'
import { SaveBar } from '../ui/save-bar.tsx'
import { bodyOf, emptyForm, type Form } from './form.ts'
import { FormView } from './form-view.tsx'

export function NewWorkflowScreen(): ReactNode {
  usePageTitle('New workflow')
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [form, setForm, clear, isChanged] = useDraft<Form>('workflow.new', emptyForm)
  const create = useMutation({
    mutationFn: () => muster.workflows.create(withoutNulls(bodyOf(form))),
    onSuccess: async ({ id }) => {
      clear()
      await queries.invalidateQueries({ queryKey: ['workflows'] })
      await navigate({ to: '/workflows/$workflowId', params: { workflowId: id } })
    },
  })
  return (
    <Page
      title="New workflow"
      about="A crew works in order: each agent reads the input and what those before it wrote."
    >
      <FormView form={form} change={setForm} fault={faultOf(create.error)} isNew />
      <SaveBar
        action="Create the workflow"
        isBusy={create.isPending}
        error={create.error}
        save={() => create.mutate()}
        {...(isChanged ? { discard: clear } : {})}
      />
    </Page>
  )
}

function withoutNulls<T extends { description?: string | null }>(body: T): T {
  return body.description === null ? { ...body, description: undefined } : body
}
