import { useState, type ReactNode } from 'react'
import type { CreatedInvitation } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import type { Role } from '../../session/roles.ts'
import { useSession } from '../../session/session.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { fieldOf, useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal, SecretModal } from '../../ui/form/form-modal.tsx'
import { RoleField } from '../../parts/people/role-field.tsx'

/** Invites a person; the link is shown once, and emailed if SMTP is configured. */
export function Invite({ close }: { close: () => void }): ReactNode {
  const { muster } = useSession()
  const [made, setMade] = useState<CreatedInvitation>()
  const dialog = useDialogForm({
    draft: 'invitation.new',
    initial: { email: '', role: fieldOf<Role>('approver') },
    refresh: useRefresh(['invitations']),
    saved: setMade,
  })
  const { form, field } = dialog
  const send = (): Promise<CreatedInvitation> =>
    muster.invitations.create({ email: form.email.trim(), role: form.role })
  if (made !== undefined) {
    const { email, link, mailed } = made
    return (
      <SecretModal
        help="people"
        title={`${email} is invited`}
        description={
          mailed ? 'The link was emailed, too.' : 'No email was sent: give them the link.'
        }
        label="Link of the invitation"
        value={link}
        done="Done"
        close={close}
      />
    )
  }
  return (
    <FormModal
      help="people"
      title="Invite"
      dialog={dialog}
      close={close}
      action="Invite"
      send={send}
    >
      <TextField label="Email" type="email" required {...field('email')} />
      <RoleField label="Role" {...field('role')} />
    </FormModal>
  )
}
