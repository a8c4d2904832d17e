import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { RoleField } from '../../parts/people/role-field.tsx'
import { useRefresh } from '../../session/api.ts'
import type { Role } from '../../session/roles.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { FormModal, SecretModal } from '../../ui/form/form-modal.tsx'
import { dayMs } from '../../ui/text/format.ts'
import { serverNow } from '../../ui/text/server-time.ts'

/** Creates a key and shows it once. */
export function NewKey({ close }: { close: () => void }): ReactNode {
  const { muster } = useSession()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [days, setDays] = useState('')
  const create = useMutation({
    mutationFn: () =>
      muster.api_keys.create({
        name: name.trim(),
        role,
        ...(days === ''
          ? {}
          : { expires_at: new Date(serverNow() + Number(days) * dayMs).toISOString() }),
      }),
    onSuccess: useRefresh(['keys']),
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
      <RoleField label="Role" value={role} onChange={setRole} />
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
