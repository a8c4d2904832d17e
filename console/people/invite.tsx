import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Role } from '../session/roles.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/field.tsx'
import { Modal } from '../ui/modal.tsx'
import { Secret } from '../ui/secret.tsx'
import { RoleField } from './role-field.tsx'

/** Asks somebody in; the link is shown once, and mailed where the operator has set up mail. */
export function Invite({ close }: { close: () => void }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('approver')
  const invite = useMutation({
    mutationFn: () => muster.invitations.create({ email: email.trim(), role }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  })
  if (invite.data !== undefined) {
    const { email, link, mailed } = invite.data
    return (
      <Modal
        title={`${email} is invited`}
        description={mailed ? 'The link was mailed, too.' : 'No mail was sent: give them the link.'}
        open
        onClose={close}
      >
        <Secret label="Link of the invitation" value={link} />
        <div className="mt-5 flex justify-end">
          <Button kind="primary" onClick={close}>
            Done
          </Button>
        </div>
      </Modal>
    )
  }
  return (
    <Modal title="Invite" open onClose={close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          invite.mutate()
        }}
      >
        <TextField label="E-mail address" type="email" required value={email} onChange={setEmail} />
        <RoleField label="Role" value={role} onChange={setRole} />
        {invite.error !== null && <Failure error={invite.error} />}
        <Button type="submit" kind="primary" isBusy={invite.isPending}>
          Invite
        </Button>
      </form>
    </Modal>
  )
}
