import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import type { Agent } from '../../sdk/generated.ts'
import { useSession } from '../session/session.tsx'
import { useDraft } from '../ui/draft.ts'
import { SaveBar, StaleNotice } from '../ui/save-bar.tsx'
import { faultOf } from '../ui/fault.ts'
import { bodyOf, formOf, type Form } from './form.ts'
import { FormView } from './form-view.tsx'

interface Draft {
  form: Form
  /** The agent's time of change that the draft began from. */
  base: string
}

export function AgentEditor({ agent }: { agent: Agent }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const saved = useMemo(() => formOf(agent), [agent])
  const [draft, setDraft, clear] = useDraft<Draft | undefined>(`agent.${agent.id}`, undefined)
  const form = draft?.form ?? saved
  const isChanged =
    draft !== undefined && JSON.stringify(bodyOf(form)) !== JSON.stringify(bodyOf(saved))
  const isStale = isChanged && draft.base !== agent.updated_at
  const save = useMutation({
    mutationFn: () => muster.agents.update(agent.id, bodyOf(form)),
    onSuccess: async (changed) => {
      queries.setQueryData(['agent', agent.id], changed)
      clear()
      await queries.invalidateQueries({ queryKey: ['agents'] })
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
        change={(form) => setDraft({ form, base: draft?.base ?? agent.updated_at })}
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
          {isStale && <StaleNotice changedAt={agent.updated_at} discard={discard} />}
        </SaveBar>
      )}
    </>
  )
}
