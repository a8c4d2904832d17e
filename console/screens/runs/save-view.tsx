import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { View, ViewFilters } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'

interface Props {
  filters: ViewFilters
  views: readonly View[]
  close: () => void
}

/** Saves filters under a name; the name of an existing view replaces its filters. */
export function SaveView({ filters, views, close }: Props): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['views'])
  const draft = useFormDraft('view.new')
  const [typed, setName] = draft.state('name', '')
  const name = typed.trim()
  const existing = views.find((view) => view.name === name)
  const save = useMutation({
    mutationFn: () =>
      existing === undefined
        ? muster.views.create({ name, filters })
        : muster.views.update(existing.id, { filters }),
    onSuccess: async () => {
      await refresh()
      draft.discard()
      close()
    },
  })
  const fault = faultOf(save.error)
  const isAtName = fault?.param === 'name'
  return (
    <FormModal
      help="views"
      title="Save view"
      description="Everyone in the account sees it under “Views”."
      draft={draft}
      close={close}
      action={existing === undefined ? 'Save' : 'Replace'}
      sending={save}
      error={isAtName ? null : save.error}
      isReady={name !== ''}
    >
      <TextField
        label="Name"
        required
        longest={100}
        value={typed}
        onChange={setName}
        {...(existing !== undefined && { hint: 'This name exists; its filters are replaced.' })}
        error={isAtName ? fault.message : undefined}
      />
    </FormModal>
  )
}
