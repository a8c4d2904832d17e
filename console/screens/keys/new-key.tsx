import { useState, type ReactNode } from 'react'
import type { CreatedApiKey } from '../../../sdk/generated.ts'
import { KeyRoleField } from '../../parts/people/role-field.tsx'
import { useRefresh } from '../../session/api.ts'
import type { KeyRole } from '../../session/roles.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { fieldOf, useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal, SecretModal } from '../../ui/form/form-modal.tsx'
import { dayMs } from '../../ui/text/format.ts'
import { serverNow } from '../../ui/text/server-time.ts'

/** Creates a key and shows it once. */
export function NewKey({ close }: { close: () => void }): ReactNode {
  const { muster } = useSession()
  const [made, setMade] = useState<CreatedApiKey>()
  const dialog = useDialogForm({
    draft: 'key.new',
    initial: { name: '', role: fieldOf<KeyRole>('member'), days: '' },
    refresh: useRefresh(['keys']),
    saved: setMade,
  })
  const { field } = dialog
  const { name, role, days } = dialog.form
  const send = (): Promise<CreatedApiKey> => {
    const expiry = { expires_at: new Date(serverNow() + Number(days) * dayMs).toISOString() }
    return muster.api_keys.create({ name: name.trim(), role, ...(days !== '' && expiry) })
  }
  if (made !== undefined) {
    return (
      <SecretModal
        help="programs"
        title={`The key of ${made.name}`}
        label="API key"
        value={made.key}
        close={close}
      />
    )
  }
  return (
    <FormModal
      help="programs"
      title="New API key"
      dialog={dialog}
      close={close}
      action="Create key"
      send={send}
    >
      <TextField label="Name" placeholder="Nightly reports" required {...field('name')} />
      <KeyRoleField label="Role" {...field('role')} />
      <SelectField
        label="Expires"
        {...field('days')}
        options={[
          { value: '', label: 'Never' },
          { value: '30', label: 'After 30 days' },
          { value: '90', label: 'After 90 days' },
          { value: '365', label: 'After a year' },
        ]}
      />
    </FormModal>
  )
}
