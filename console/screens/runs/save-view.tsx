import type { ReactNode } from 'react'
import type { View, ViewFilters } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'

interface Props {
  filters: ViewFilters
  views: readonly View[]
  close: () => void
}

/** Saves filters under a name; the name of an existing view replaces its filters. */
export function SaveView({ filters, views, close }: Props): ReactNode {
  const { muster } = useSession()
  const dialog = useDialogForm({
    draft: 'view.new',
    initial: { name: '' },
    errorsAt: ['name'],
    refresh: useRefresh(['views']),
    saved: close,
  })
  const name = dialog.form.name.trim()
  const existing = views.find((view) => view.name === name)
  const send = (): Promise<View> =>
    existing === undefined
      ? muster.views.create({ name, filters })
      : muster.views.update(existing.id, { filters })
  return (
    <FormModal
      help="views"
      title="Save view"
      description="Everyone in the account sees it under “Views”."
      dialog={dialog}
      close={close}
      action={existing === undefined ? 'Save' : 'Replace'}
      send={send}
      isReady={name !== ''}
    >
      <TextField
        label="Name"
        required
        longest={100}
        {...dialog.field('name')}
        {...(existing !== undefined && { hint: 'This name exists; its filters are replaced.' })}
      />
    </FormModal>
  )
}
