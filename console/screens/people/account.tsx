import { useState, type ReactNode } from 'react'
import type { User } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'

interface Props {
  user: User
  refresh: () => Promise<void>
}

/** How a person signs in: their address, and their identity at the organisation's provider. */
export function Account({ user, refresh }: Props): ReactNode {
  const { muster } = useSession()
  const [changes, setChanges] = useState(false)
  const { id, name, email, identity } = user
  const unlink = async () => {
    await muster.users.unlink(id)
    await refresh()
  }
  return (
    <details>
      <summary
        className="w-fit cursor-pointer text-sm text-ink-soft"
        aria-label={`Account of ${name}`}
      >
        Account
      </summary>
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 basis-56 text-sm wrap-anywhere text-ink-soft">
          {identity === null
            ? 'Not linked to a provider.'
            : `Linked to ${identity.issuer} as ${identity.subject}`}
        </p>
        <Button aria-label={`Change email of ${name}`} onClick={() => setChanges(true)}>
          Change email
        </Button>
        {identity !== null && (
          <ConfirmButton
            label="Unlink identity"
            aria-label={`Unlink identity of ${name}`}
            title={`Unlink ${name} from the provider?`}
            action="Unlink identity"
            wayOut="Cancel"
            run={unlink}
          >
            Do this when the person was created again at the provider, or the provider moved. Their
            sessions in this account end. At their next sign-in, the verified address {email} links
            them again.
          </ConfirmButton>
        )}
      </div>
      {changes && <ChangeEmail user={user} refresh={refresh} close={() => setChanges(false)} />}
    </details>
  )
}

function ChangeEmail({ user, refresh, close }: Props & { close: () => void }): ReactNode {
  const { muster } = useSession()
  const dialog = useDialogForm({
    draft: `email.${user.id}`,
    initial: { email: user.email },
    refresh,
    saved: close,
  })
  return (
    <FormModal
      help="people"
      title={`Change email of ${user.name}`}
      dialog={dialog}
      close={close}
      action="Change email"
      send={() => muster.users.update(user.id, { email: dialog.form.email.trim() })}
      {...(user.identity === null
        ? {}
        : { description: 'The provider sets it again at the next sign-in.' })}
    >
      <TextField label="Email" type="email" required {...dialog.field('email')} />
    </FormModal>
  )
}
