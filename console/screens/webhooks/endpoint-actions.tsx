import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal, SecretModal } from '../../ui/form/form-modal.tsx'
import { EndpointForm } from './endpoint-form.tsx'

/** Buttons to test, change, turn off and on, rotate the secret, and delete. */
export function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }): ReactNode {
  const { id, active } = endpoint
  const { muster } = useSession()
  const navigate = useNavigate()
  const [opened, setOpened] = useState<'edit' | 'rotate'>()
  const close = () => setOpened(undefined)
  const refresh = useRefresh(['webhook', id], ['webhooks'])
  const test = useMutation({
    mutationFn: () => muster.webhooks.test(id),
    onSuccess: useRefresh(['deliveries', id]),
  })
  const toggle = useMutation({
    mutationFn: () => muster.webhooks.update(id, { active: !active }),
    onSuccess: refresh,
  })
  const remove = async () => {
    await muster.webhooks.delete(id)
    await refresh()
    await navigate({ to: '/webhooks' })
  }
  return (
    <>
      {active && (
        <Button kind="primary" isBusy={test.isPending} onClick={() => test.mutate()}>
          Send a test
        </Button>
      )}
      <Button isBusy={toggle.isPending} onClick={() => toggle.mutate()}>
        {active ? 'Turn off' : 'Turn on'}
      </Button>
      <Button onClick={() => setOpened('edit')}>Change</Button>
      <Button onClick={() => setOpened('rotate')}>New secret</Button>
      <ConfirmButton
        label="Delete"
        title="Delete this endpoint?"
        action="Delete it"
        wayOut="Cancel"
        run={remove}
      >
        Nothing more is sent to it, and its deliveries are gone. It cannot be undone.
      </ConfirmButton>
      {[test.error, toggle.error].map(
        (error, index) => error !== null && <Failure key={index} error={error} />,
      )}
      {opened === 'edit' && <EndpointForm endpoint={endpoint} close={close} />}
      {opened === 'rotate' && <NewSecret id={id} close={close} />}
    </>
  )
}

function NewSecret({ id, close }: { id: string; close: () => void }): ReactNode {
  const { muster } = useSession()
  const [made, setMade] = useState<WebhookEndpointWithSecret>()
  const dialog = useDialogForm({ draft: `rotation.${id}`, initial: {}, saved: setMade })
  return made === undefined ? (
    <FormModal
      help="webhookSecrets"
      title="Create a new signing secret?"
      description="Both secrets sign for 24 hours, then only the new one."
      dialog={dialog}
      close={close}
      action="Create new secret"
      send={() => muster.webhooks.rotate_secret(id)}
    />
  ) : (
    <SecretModal
      help="webhookSecrets"
      title="The new signing secret"
      label="Signing secret"
      value={made.secret}
      close={close}
    />
  )
}
