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

export function NewAgentScreen(): ReactNode {
  usePageTitle('New agent')
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [form, setForm, clear, isChanged] = useDraft<Form>('agent.new', emptyForm)
  const create = useMutation({
    mutationFn: () => muster.agents.create(bodyOf(form)),
    onSuccess: async ({ id }) => {
      clear()
      await queries.invalidateQueries({ queryKey: ['agents'] })
      await navigate({ to: '/agents/$agentId', params: { agentId: id } })
    },
  })
  return (
    <Page
      title="New agent"
      about="A standing agent has its own instructions, tools and memory, and works in any number of workflows."
    >
      <FormView form={form} change={setForm} fault={faultOf(create.error)} />
      <SaveBar
        action="Create the agent"
        isBusy={create.isPending}
        error={create.error}
        save={() => create.mutate()}
        {...(isChanged ? { discard: clear } : {})}
      />
    </Page>
  )
}
