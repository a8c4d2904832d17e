import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { Hook, HookWithSecret } from '../../../sdk/generated.ts'
import { dedupeHint, dedupes, isSecretOfSender, schemes } from '../../data/hooks.ts'
import { useChosenWorkflow } from '../../data/workflows.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { fieldOf, useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal, SecretModal } from '../../ui/form/form-modal.tsx'

/** Creates a hook. A generated secret is shown once. */
export function HookForm({
  workflowId: given = '',
  close,
}: {
  workflowId?: string | undefined
  close: () => void
}): ReactNode {
  const { muster } = useSession()
  const navigate = useNavigate()
  const open = (id: string) => navigate({ to: '/inbound-hooks/$hookId', params: { hookId: id } })
  const [made, setMade] = useState<HookWithSecret>()
  const dialog = useDialogForm({
    draft: `hook.new${given}`,
    initial: {
      workflow: given,
      scheme: fieldOf<Hook['scheme']>('github'),
      dedupe: fieldOf<Hook['dedupe']>('event'),
      name: '',
      header: '',
    },
    unstored: { secret: '' },
    errorsAt: ['secret'],
    refresh: useRefresh(['hooks']),
    saved: (hook: HookWithSecret) => (hook.secret === null ? open(hook.id) : setMade(hook)),
  })
  const { field } = dialog
  const { scheme, dedupe, name, secret, header } = dialog.form
  const { workflowId, options } = useChosenWorkflow(dialog.form.workflow)
  const send = (): Promise<HookWithSecret> =>
    muster.hooks.create({
      workflow_id: workflowId,
      scheme,
      dedupe,
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(secret.trim() !== '' && scheme !== 'none' && { secret: secret.trim() }),
      ...(header.trim() !== '' && scheme === 'hmac_sha256' && { signature_header: header.trim() }),
    })
  if (made?.secret != null) {
    return (
      <SecretModal
        help="hooks"
        title="Signing secret"
        description="Enter it at the sender. Its signatures are checked with it."
        label="Secret"
        value={made.secret}
        close={() => void open(made.id)}
      />
    )
  }
  return (
    <FormModal
      help="hooks"
      title="New hook"
      dialog={dialog}
      close={close}
      action="Create hook"
      send={send}
      isReady={workflowId !== ''}
    >
      {options.length === 0 && <p className="text-ink-soft">Create a workflow first.</p>}
      <SelectField label="Workflow" {...field('workflow')} value={workflowId} options={options} />
      <SelectField<Hook['scheme']>
        label="Signatures"
        {...field('scheme')}
        options={Object.entries(schemes).map(([value, label]) => ({
          value: value as Hook['scheme'],
          label,
        }))}
      />
      {scheme === 'hmac_sha256' && (
        <TextField
          label="Signature header"
          isOptional
          longest={100}
          placeholder="X-Signature-256"
          {...field('header')}
        />
      )}
      {scheme !== 'none' && (
        <TextField
          label="Secret"
          isOptional
          longest={500}
          type="password"
          autoComplete="off"
          hint={
            isSecretOfSender(scheme)
              ? `${schemes[scheme]} shows it to you. You can add it later.`
              : 'Leave empty to generate one.'
          }
          {...field('secret')}
          error={dialog.fault && 'Enter at least 8 characters, without blanks'}
        />
      )}
      <SelectField
        label="If the same event comes again"
        hint={dedupeHint(dedupe)}
        {...field('dedupe')}
        options={dedupes}
      />
      <TextField label="Name" isOptional longest={120} {...field('name')} />
    </FormModal>
  )
}
