import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Hook } from '../../../sdk/generated.ts'
import { dedupeHint, dedupes, isSecretOfSender, schemes } from '../../data/hooks.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
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
  const refresh = useRefresh(['hooks'])
  const { data: workflows = [] } = useWorkflows()
  const draft = useFormDraft(`hook.new${given}`)
  const [workflow, setWorkflow] = draft.state('workflow', given)
  const [scheme, setScheme] = draft.state<Hook['scheme']>('scheme', 'github')
  const [dedupe, setDedupe] = draft.state<Hook['dedupe']>('dedupe', 'event')
  const [name, setName] = draft.state('name', '')
  const [secret, setSecret] = draft.unstored('secret', '')
  const [header, setHeader] = draft.state('header', '')
  const workflowId = workflow === '' ? (workflows[0]?.id ?? '') : workflow
  const open = (id: string) => navigate({ to: '/inbound-hooks/$hookId', params: { hookId: id } })
  const save = useMutation({
    mutationFn: () =>
      muster.hooks.create({
        workflow_id: workflowId,
        scheme,
        dedupe,
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(secret.trim() !== '' && scheme !== 'none' && { secret: secret.trim() }),
        ...(header.trim() !== '' &&
          scheme === 'hmac_sha256' && { signature_header: header.trim() }),
      }),
    onSuccess: async ({ id, secret: made }) => {
      await refresh()
      draft.discard()
      if (made === null) await open(id)
    },
  })
  const made = save.data?.secret
  if (save.data !== undefined && made != null) {
    const { id } = save.data
    return (
      <SecretModal
        help="hooks"
        title="Signing secret"
        description="Enter it at the sender. Its signatures are checked with it."
        label="Secret"
        value={made}
        close={() => void open(id)}
      />
    )
  }
  const fault = faultOf(save.error)
  return (
    <FormModal
      help="hooks"
      title="New hook"
      draft={draft}
      close={close}
      action="Create hook"
      sending={save}
      error={fault?.param === 'secret' ? null : save.error}
      isReady={workflowId !== ''}
    >
      {workflows.length === 0 && <p className="text-ink-soft">Create a workflow first.</p>}
      <SelectField
        label="Workflow"
        value={workflowId}
        onChange={setWorkflow}
        options={workflows.map(({ id, name: label }) => ({ value: id, label }))}
      />
      <SelectField<Hook['scheme']>
        label="Signatures"
        value={scheme}
        onChange={setScheme}
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
          value={header}
          onChange={setHeader}
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
          value={secret}
          onChange={setSecret}
          error={
            fault?.param === 'secret' ? 'Enter at least 8 characters, without blanks' : undefined
          }
        />
      )}
      <SelectField
        label="If the same event comes again"
        hint={dedupeHint(dedupe)}
        value={dedupe}
        onChange={setDedupe}
        options={dedupes}
      />
      <TextField label="Name" isOptional longest={120} value={name} onChange={setName} />
    </FormModal>
  )
}
