import type { ReactNode } from 'react'
import type { Channel } from '../../../sdk/generated.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
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
  const before = channel?.workflow_ids ?? (workflowId === undefined ? null : [workflowId])
  const dialog = useDialogForm({
    draft: `channel.${channel?.id ?? `new${workflowId ?? ''}`}`,
    initial: {
      name: channel?.name ?? '',
      kind: channel?.kind ?? 'email',
      recipients: channel?.recipients.join('\n') ?? '',
      place: channel?.slack_channel ?? '',
      workflow: choiceOf(before),
    },
    unstored: { token: '', signingSecret: '' },
    errorsAt: ['name', 'recipients', 'slack_channel', 'token'],
    refresh: useRefresh(['channels']),
    saved: close,
  })
  const { field } = dialog
  const { name, kind, recipients, place, workflow, token, signingSecret } = dialog.form
  const send = (): Promise<Channel> => {
    const common = { name: name.trim(), workflow_ids: workflowIds(workflow, before) }
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
  }
  const isKept = channel !== undefined
  return (
    <FormModal
      help="channels"
      title={isKept ? 'Change channel' : 'New channel'}
      dialog={dialog}
      close={close}
      action={isKept ? 'Save' : 'Create channel'}
      send={send}
    >
      <TextField label="Name" required longest={100} {...field('name')} />
      {!isKept && (
        <SelectField
          label="Kind"
          {...field('kind')}
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
          {...field('recipients')}
        />
      ) : (
        <>
          <TextField
            label="Slack channel"
            hint="Such as #approvals. Invite the app to the channel."
            required
            {...field('place', 'slack_channel')}
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
            {...field('token')}
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
            {...field('signingSecret')}
          />
        </>
      )}
      <WorkflowsField before={before} {...field('workflow')} />
    </FormModal>
  )
}

/** How a list of workflows is shown by `WorkflowsField`. */
export function choiceOf(before: string[] | null): string {
  return before !== null && before.length > 1 ? several : (before?.[0] ?? '')
}

/** The workflows of a choice; null for all. */
export function workflowIds(chosen: string, before: string[] | null): string[] | null {
  return chosen === '' ? null : chosen === several ? before : [chosen]
}

const several = 'several'

interface WorkflowsProps {
  before: string[] | null
  value: string
  onChange: (chosen: string) => void
}

/** All workflows, or one. A list of several is kept unchanged. */
export function WorkflowsField({ before, value, onChange }: WorkflowsProps): ReactNode {
  const { data: workflows = [] } = useWorkflows()
  const count = before?.length ?? 0
  return (
    <SelectField
      label="Workflows"
      value={value}
      onChange={onChange}
      options={[
        { value: '', label: 'All workflows' },
        ...(count > 1 ? [{ value: several, label: `${count} workflows, as before` }] : []),
        ...workflows.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  )
}
