import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { CreateApiKey } from '../../sdk/generated.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Modal } from '../ui/modal.tsx'
import { Secret } from '../ui/secret.tsx'

const dayMs = 86_400_000

/** Makes a key and shows it this one time. */
export function NewKey({ close }: { close: () => void }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState<CreateApiKey['role']>('member')
  const [days, setDays] = useState('')
  const create = useMutation({
    mutationFn: () =>
      muster.api_keys.create({
        name: name.trim(),
        role,
        ...(days === ''
          ? {}
          : { expires_at: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  })
  if (create.data !== undefined) {
    return (
      <Modal title={`The key of ${create.data.name}`} open onClose={close}>
        <Secret label="API key" value={create.data.key} />
        <div className="mt-5 flex justify-end">
          <Button kind="primary" onClick={close}>
            I have stored it
          </Button>
        </div>
      </Modal>
    )
  }
  return (
    <Modal title="New API key" open onClose={close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <TextField
          label="What it is for"
          placeholder="Nightly reports"
          required
          value={name}
          onChange={setName}
        />
        <SelectField
          label="Role"
          value={role}
          onChange={(value) => setRole(value as CreateApiKey['role'])}
          options={[
            { value: 'viewer', label: 'Viewer: reads' },
            { value: 'approver', label: 'Approver: reads and answers' },
            { value: 'member', label: 'Member: reads, writes, runs and answers' },
            { value: 'admin', label: 'Admin: also keys and connectors' },
          ]}
        />
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
        {create.error !== null && <Failure error={create.error} />}
        <Button type="submit" kind="primary" isBusy={create.isPending}>
          Make the key
        </Button>
      </form>
    </Modal>
  )
}
