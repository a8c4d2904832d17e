import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useRefresh } from '../../session/api.ts'
import type { Role } from '../../session/roles.ts'
import { useSession } from '../../session/session.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
import { FormModal, SecretModal } from '../../ui/form/form-modal.tsx'
import { RoleField } from '../../parts/people/role-field.tsx'

/** Invites a person; the link is shown once, and emailed if SMTP is configured. */
export function Invite({ close }: { close: () => void }): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['invitations'])
  const draft = useFormDraft('invitation.new')
  const [email, setEmail] = draft.state('email', '')
  const [role, setRole] = draft.state<Role>('role', 'approver')
  const invite = useMutation({
    mutationFn: () => muster.invitations.create({ email: email.trim(), role }),
    onSuccess: async () => {
      draft.discard()
      await refresh()
    },
  })
  if (invite.data !== undefined) {
    const { email, link, mailed } = invite.data
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
      draft={draft}
      close={close}
      action="Invite"
      sending={invite}
      error={invite.error}
    >
      <TextField label="Email" type="email" required value={email} onChange={setEmail} />
      <RoleField label="Role" value={role} onChange={setRole} />
    </FormModal>
  )
}
