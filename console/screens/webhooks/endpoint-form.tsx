import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { CheckField, SelectField, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
import { FormModal, SecretModal } from '../../ui/form/form-modal.tsx'
import { useWorkflows } from '../../data/workflows.ts'
import { eventTypes } from '../../data/webhooks.ts'

interface Props {
  /** The endpoint to change; undefined to create one. */
  endpoint?: WebhookEndpoint
  close: () => void
}

/** Creates or changes an endpoint; a new one shows its signing secret once. */
export function EndpointForm({ endpoint, close }: Props): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['webhooks'], ['webhook'])
  const { data: workflows = [] } = useWorkflows()
  const draft = useFormDraft(`endpoint.${endpoint?.id ?? 'new'}`)
  const [url, setUrl] = draft.state('url', endpoint?.url ?? '')
  const [description, setDescription] = draft.state('description', endpoint?.description ?? '')
  const [events, setEvents] = draft.state<WebhookEndpoint['events']>(
    'events',
    endpoint?.events ?? ['run.completed', 'run.failed'],
  )
  const [workflow, setWorkflow] = draft.state('workflow', endpoint?.workflow_id ?? '')
  const save = useMutation({
    mutationFn: (): Promise<WebhookEndpoint | WebhookEndpointWithSecret> => {
      const body = {
        url: url.trim(),
        events,
        description: description.trim() === '' ? null : description.trim(),
        workflow_id: workflow === '' ? null : workflow,
      }
      return endpoint === undefined
        ? muster.webhooks.create(body)
        : muster.webhooks.update(endpoint.id, body)
    },
    onSuccess: async () => {
      await refresh()
      draft.discard()
      if (endpoint !== undefined) close()
    },
  })
  if (save.data !== undefined && 'secret' in save.data) {
    return (
      <SecretModal
        help="webhooks"
        title="The signing secret"
        description="Your program uses it to verify that requests are from Muster."
        label="Signing secret"
        value={save.data.secret}
        close={close}
      />
    )
  }
  const fault = faultOf(save.error)
  return (
    <FormModal
      help="webhooks"
      title={endpoint === undefined ? 'New endpoint' : 'Change the endpoint'}
      draft={draft}
      close={close}
      action={endpoint === undefined ? 'Create endpoint' : 'Save'}
      sending={save}
      error={fault?.param === 'url' ? null : save.error}
      isReady={events.length > 0}
    >
      <TextField
        label="Address"
        type="url"
        placeholder="https://…"
        required
        value={url}
        onChange={setUrl}
        error={fault?.param === 'url' ? fault.message : undefined}
      />
      <TextField label="Label" longest={200} value={description} onChange={setDescription} />
      <fieldset className="grid gap-2">
        <legend className="mb-1 text-sm font-medium text-ink-soft">Events</legend>
        {eventTypes.map((type) => (
          <CheckField
            key={type}
            label={<span className="font-mono text-sm">{type}</span>}
            checked={events.includes(type)}
            onChange={(isOn) =>
              setEvents(isOn ? [...events, type] : events.filter((one) => one !== type))
            }
          />
        ))}
      </fieldset>
      <SelectField
        label="Workflow"
        value={workflow}
        onChange={setWorkflow}
        options={[
          { value: '', label: 'All workflows' },
          ...workflows.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </FormModal>
  )
}
