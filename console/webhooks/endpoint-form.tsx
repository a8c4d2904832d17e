import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '../../sdk/generated.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { faultOf } from '../ui/fault.ts'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { Modal } from '../ui/modal.tsx'
import { Secret } from '../ui/secret.tsx'
import { workflowsQuery } from '../workflows/queries.ts'
import { eventTypes } from './queries.ts'

interface Props {
  /** The endpoint that is changed; none makes a new one. */
  endpoint?: WebhookEndpoint
  close: () => void
}

/** Makes or changes an endpoint; a new one shows its signing secret once. */
export function EndpointForm({ endpoint, close }: Props): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const { data: workflows = [] } = useQuery(workflowsQuery(muster))
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [events, setEvents] = useState<WebhookEndpoint['events']>(
    endpoint?.events ?? ['run.completed', 'run.failed'],
  )
  const [workflow, setWorkflow] = useState(endpoint?.workflow_id ?? '')
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
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['webhooks'] })
      await queries.invalidateQueries({ queryKey: ['webhook', saved.id] })
      if (endpoint !== undefined) close()
    },
  })
  if (save.data !== undefined && 'secret' in save.data) {
    return (
      <Modal
        title="The signing secret"
        description="Your program checks with it that a request is from here."
        open
        onClose={close}
      >
        <Secret label="Signing secret" value={save.data.secret} />
        <div className="mt-5 flex justify-end">
          <Button kind="primary" onClick={close}>
            I have stored it
          </Button>
        </div>
      </Modal>
    )
  }
  const fault = faultOf(save.error)
  return (
    <Modal
      title={endpoint === undefined ? 'New endpoint' : 'Change the endpoint'}
      open
      onClose={close}
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
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
        <TextField label="Label" maxLength={200} value={description} onChange={setDescription} />
        <fieldset className="grid gap-2">
          <legend className="mb-1 text-sm font-medium text-ink-soft">Told of</legend>
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
        {save.error !== null && fault?.param !== 'url' && <Failure error={save.error} />}
        <Button type="submit" kind="primary" isBusy={save.isPending} disabled={events.length === 0}>
          {endpoint === undefined ? 'Make the endpoint' : 'Save'}
        </Button>
      </form>
    </Modal>
  )
}
