import { useNavigate } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Hook, HookWithSecret } from '../../../sdk/generated.ts'
import { isSecretOfSender } from '../../data/hooks.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal, SecretModal } from '../../ui/form/form-modal.tsx'
import { PauseOrDelete } from '../../ui/pause-or-delete.tsx'

export function HookActions({ hook }: { hook: Hook }): ReactNode {
  const { id, name, status, scheme, has_secret: hasSecret } = hook
  const { muster } = useSession()
  const navigate = useNavigate()
  const [rotates, setRotates] = useState(false)
  const refresh = useRefresh(['hook', id], ['hooks'])
  return (
    <>
      {scheme !== 'none' && (
        <Button
          icon={KeyRound}
          kind={hasSecret ? 'plain' : 'primary'}
          onClick={() => setRotates(true)}
        >
          {hasSecret ? 'New secret' : 'Set secret'}
        </Button>
      )}
      <PauseOrDelete
        name={name}
        status={status}
        setStatus={async (to) => {
          await muster.hooks.update(id, { status: to })
          await refresh()
        }}
        remove={async () => {
          await muster.hooks.delete(id)
          await refresh()
          await navigate({ to: '/inbound-hooks' })
        }}
      >
        Its deliveries go with it; the runs stay. The address stops working.
      </PauseOrDelete>
      {rotates && <NewSecret hook={hook} close={() => setRotates(false)} />}
    </>
  )
}

function NewSecret({ hook, close }: { hook: Hook; close: () => void }): ReactNode {
  const { id, scheme, has_secret: hasSecret } = hook
  const { muster } = useSession()
  const [made, setMade] = useState<string>()
  const dialog = useDialogForm({
    draft: `secret.${id}`,
    initial: {},
    unstored: { secret: '' },
    refresh: useRefresh(['hook', id], ['hooks']),
    saved: ({ secret }: HookWithSecret) => (secret === null ? close() : setMade(secret)),
  })
  const secret = dialog.form.secret.trim()
  if (made !== undefined) {
    return (
      <SecretModal
        help="hookSecrets"
        title="New secret"
        label="Secret"
        value={made}
        close={close}
      />
    )
  }
  const isNeeded = isSecretOfSender(scheme)
  return (
    <FormModal
      help="hookSecrets"
      title={hasSecret ? 'New secret' : 'Set secret'}
      description={hasSecret ? 'The old secret is accepted for 24 more hours.' : undefined}
      dialog={dialog}
      close={close}
      action="Save secret"
      send={() => muster.hooks.rotate_secret(id, secret === '' ? {} : { secret })}
      isReady={!isNeeded || secret !== ''}
    >
      <TextField
        label="Secret"
        isOptional={!isNeeded}
        required={isNeeded}
        longest={500}
        type="password"
        autoComplete="off"
        hint={isNeeded ? 'Copy it from the sender.' : 'Leave empty to generate one.'}
        {...dialog.field('secret')}
      />
    </FormModal>
  )
}
