import { useState, type ReactNode } from 'react'
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { CheckField, SelectField, TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal, SecretModal } from '../../ui/form/form-modal.tsx'
import { useWorkflows } from '../../data/workflows.ts'
import { eventTypes } from '../../data/webhooks.ts'

type Saved = WebhookEndpoint | WebhookEndpointWithSecret

interface Props {
  /** The endpoint to change; undefined to create one. */
  endpoint?: WebhookEndpoint
  close: () => void
}

/** Creates or changes an endpoint; a new one shows its signing secret once. */
export function EndpointForm({ endpoint, close }: Props): ReactNode {
  const { muster } = useSession()
  const { data: workflows = [] } = useWorkflows()
  const [secret, setSecret] = useState<string>()
  const dialog = useDialogForm({
    draft: `endpoint.${endpoint?.id ?? 'new'}`,
    initial: {
      url: endpoint?.url ?? '',
      description: endpoint?.description ?? '',
      events: endpoint?.events ?? (['run.completed', 'run.failed'] as WebhookEndpoint['events']),
      workflow: endpoint?.workflow_id ?? '',
    },
    errorsAt: ['url'],
    refresh: useRefresh(['webhooks'], ['webhook']),
    saved: (made: Saved) => ('secret' in made ? setSecret(made.secret) : close()),
  })
  const { set, field } = dialog
  const { url, description, events, workflow } = dialog.form
  const send = (): Promise<Saved> => {
    const body = {
      url: url.trim(),
      events,
      description: description.trim() === '' ? null : description.trim(),
      workflow_id: workflow === '' ? null : workflow,
    }
    return endpoint === undefined
      ? muster.webhooks.create(body)
      : muster.webhooks.update(endpoint.id, body)
  }
  if (secret !== undefined) {
    return (
      <SecretModal
        help="webhooks"
        title="The signing secret"
        description="Your program uses it to verify that requests are from Muster."
        label="Signing secret"
        value={secret}
        close={close}
      />
    )
  }
  return (
    <FormModal
      help="webhooks"
      title={endpoint === undefined ? 'New endpoint' : 'Change the endpoint'}
      dialog={dialog}
      close={close}
      action={endpoint === undefined ? 'Create endpoint' : 'Save'}
      send={send}
      isReady={events.length > 0}
    >
      <TextField label="Address" type="url" placeholder="https://…" required {...field('url')} />
      <TextField label="Label" longest={200} {...field('description')} />
      <fieldset className="grid gap-2">
        <legend className="mb-1 text-sm font-medium text-ink-soft">Events</legend>
        {eventTypes.map((type) => (
          <CheckField
            key={type}
            label={<span className="font-mono text-sm">{type}</span>}
            checked={events.includes(type)}
            onChange={(isOn) =>
              set({ events: isOn ? [...events, type] : events.filter((one) => one !== type) })
            }
          />
        ))}
      </fieldset>
      <SelectField
        label="Workflow"
        {...field('workflow')}
        options={[
          { value: '', label: 'All workflows' },
          ...workflows.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </FormModal>
  )
}
