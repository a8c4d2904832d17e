import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Channel } from '../../../sdk/generated.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { useFormDraft, type FormDraft } from '../../ui/form/form-draft.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'

/** Creates or changes a channel. Its secrets are never shown again. */
export function ChannelForm({
  channel,
  workflowId,
  close,
}: {
  channel?: Channel
  workflowId?: string | undefined
  close: () => void
}): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['channels'])
  const draft = useFormDraft(`channel.${channel?.id ?? `new${workflowId ?? ''}`}`)
  const [name, setName] = draft.state('name', channel?.name ?? '')
  const [kind, setKind] = draft.state<Channel['kind']>('kind', channel?.kind ?? 'email')
  const [recipients, setRecipients] = draft.state(
    'recipients',
    channel?.recipients.join('\n') ?? '',
  )
  const [place, setPlace] = draft.state('place', channel?.slack_channel ?? '')
  const [token, setToken] = draft.unstored('token', '')
  const [signingSecret, setSigningSecret] = draft.unstored('signingSecret', '')
  const workflow = useWorkflowChoice(
    draft,
    channel?.workflow_ids ?? (workflowId === undefined ? null : [workflowId]),
  )
  const save = useMutation({
    mutationFn: () => {
      const common = { name: name.trim(), workflow_ids: workflow.ids }
      const addresses = recipients.split(/[\s,;]+/).filter((one) => one !== '')
      const own =
        kind === 'email'
          ? { recipients: addresses }
          : {
              slack_channel: place.trim(),
              ...(token !== '' && { token: token.trim() }),
              ...(signingSecret !== '' && { signing_secret: signingSecret.trim() }),
            }
      return channel === undefined
        ? muster.channels.create({ ...common, kind, ...own })
        : muster.channels.update(channel.id, { ...common, ...own })
    },
    onSuccess: async () => {
      await refresh()
      draft.discard()
      close()
    },
  })
  const fault = faultOf(save.error)
  const errorAt = (field: string): string | undefined =>
    fault?.param?.startsWith(field) === true ? fault.message : undefined
  const isKept = channel !== undefined
  return (
    <FormModal
      help="channels"
      title={isKept ? 'Change channel' : 'New channel'}
      draft={draft}
      close={close}
      action={isKept ? 'Save' : 'Create channel'}
      sending={save}
      error={['name', 'recipients', 'slack_channel', 'token'].some(errorAt) ? null : save.error}
    >
      <TextField
        label="Name"
        required
        longest={100}
        value={name}
        onChange={setName}
        error={errorAt('name')}
      />
      {!isKept && (
        <SelectField
          label="Kind"
          value={kind}
          onChange={setKind}
          options={[
            { value: 'email', label: 'Email' },
            { value: 'slack', label: 'Slack' },
          ]}
        />
      )}
      {kind === 'email' ? (
        <TextArea
          label="Recipients"
          hint="Email addresses, one a line. People of this account with a role above viewer can answer from the email."
          rows={3}
          value={recipients}
          onChange={setRecipients}
          error={errorAt('recipients')}
        />
      ) : (
        <>
          <TextField
            label="Slack channel"
            hint="Such as #approvals. Invite the app to the channel."
            required
            value={place}
            onChange={setPlace}
            error={errorAt('slack_channel')}
          />
          <TextField
            label="Bot token"
            hint={
              isKept
                ? 'Leave empty to keep the stored one.'
                : 'xoxb-…, with the scopes chat:write, users:read and users:read.email'
            }
            type="password"
            autoComplete="off"
            required={!isKept}
            value={token}
            onChange={setToken}
            error={errorAt('token')}
          />
          <TextField
            label="Signing secret"
            hint={
              isKept && channel.has_buttons
                ? 'Leave empty to keep the stored one.'
                : 'Of the Slack app, for Approve and Reject buttons. Without it messages have a link.'
            }
            type="password"
            autoComplete="off"
            value={signingSecret}
            onChange={setSigningSecret}
          />
        </>
      )}
      {workflow.field}
    </FormModal>
  )
}

/** All workflows, or one. A list of several is kept unchanged. */
export function useWorkflowChoice(
  draft: FormDraft,
  before: string[] | null,
): {
  ids: string[] | null
  field: ReactNode
} {
  const { data: workflows = [] } = useWorkflows()
  const several = before !== null && before.length > 1
  const [chosen, setChosen] = draft.state('workflow', several ? 'several' : (before?.[0] ?? ''))
  const ids = chosen === '' ? null : chosen === 'several' ? before : [chosen]
  const field = (
    <SelectField
      label="Workflows"
      value={chosen}
      onChange={setChosen}
      options={[
        { value: '', label: 'All workflows' },
        ...(several ? [{ value: 'several', label: `${before.length} workflows, as before` }] : []),
        ...workflows.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  )
  return { ids, field }
}
