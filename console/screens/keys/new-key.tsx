import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { KeyRoleField } from '../../parts/people/role-field.tsx'
import { useRefresh } from '../../session/api.ts'
import type { KeyRole } from '../../session/roles.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
import { FormModal, SecretModal } from '../../ui/form/form-modal.tsx'
import { dayMs } from '../../ui/text/format.ts'
import { serverNow } from '../../ui/text/server-time.ts'

/** Creates a key and shows it once. */
export function NewKey({ close }: { close: () => void }): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['keys'])
  const draft = useFormDraft('key.new')
  const [name, setName] = draft.state('name', '')
  const [role, setRole] = draft.state<KeyRole>('role', 'member')
  const [days, setDays] = draft.state('days', '')
  const create = useMutation({
    mutationFn: () =>
      muster.api_keys.create({
        name: name.trim(),
        role,
        ...(days === ''
          ? {}
          : { expires_at: new Date(serverNow() + Number(days) * dayMs).toISOString() }),
      }),
    onSuccess: async () => {
      draft.discard()
      await refresh()
    },
  })
  if (create.data !== undefined) {
    return (
      <SecretModal
        help="programs"
        title={`The key of ${create.data.name}`}
        label="API key"
        value={create.data.key}
        close={close}
      />
    )
  }
  return (
    <FormModal
      help="programs"
      title="New API key"
      draft={draft}
      close={close}
      action="Create key"
      sending={create}
      error={create.error}
    >
      <TextField
        label="Name"
        placeholder="Nightly reports"
        required
        value={name}
        onChange={setName}
      />
      <KeyRoleField label="Role" value={role} onChange={setRole} />
      <SelectField
        label="Expires"
        value={days}
        onChange={setDays}
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
