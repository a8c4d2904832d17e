import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Hook } from '../../../sdk/generated.ts'
import { isSecretOfSender } from '../../data/hooks.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
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
  const refresh = useRefresh(['hook', id], ['hooks'])
  const draft = useFormDraft(`secret.${id}`)
  const [secret, setSecret] = draft.unstored('secret', '')
  const rotate = useMutation({
    mutationFn: () =>
      muster.hooks.rotate_secret(id, secret.trim() === '' ? {} : { secret: secret.trim() }),
    onSuccess: async ({ secret: made }) => {
      await refresh()
      draft.discard()
      if (made === null) close()
    },
  })
  const made = rotate.data?.secret
  if (made != null) {
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
      draft={draft}
      close={close}
      action="Save secret"
      sending={rotate}
      error={rotate.error}
      isReady={!isNeeded || secret.trim() !== ''}
    >
      <TextField
        label="Secret"
        isOptional={!isNeeded}
        required={isNeeded}
        longest={500}
        type="password"
        autoComplete="off"
        hint={isNeeded ? 'Copy it from the sender.' : 'Leave empty to generate one.'}
        value={secret}
        onChange={setSecret}
      />
    </FormModal>
  )
}
