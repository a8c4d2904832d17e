import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Alert } from '../../../sdk/generated.ts'
import { alertCauses, useChannels } from '../../data/channels.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { useWorkflowChoice } from './channel-form.tsx'

const causes = Object.entries(alertCauses) as [Alert['on'], string][]
const ofRuns: readonly Alert['on'][] = [
  'run.failed',
  'failure_rate',
  'waiting_too_long',
  'schedule.missed',
]
const ofTime: readonly Alert['on'][] = ['failure_rate', 'waiting_too_long']

/** Creates or changes an alert; its cause cannot be changed. */
export function AlertForm({ alert, close }: { alert?: Alert; close: () => void }): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['alerts'])
  const { data: channels = [] } = useChannels()
  const draft = useFormDraft(`alert.${alert?.id ?? 'new'}`)
  const [on, setOn] = draft.state<Alert['on']>('on', alert?.on ?? 'run.failed')
  const [name, setName] = draft.state('name', alert?.name ?? '')
  const [minutes, setMinutes] = draft.state('minutes', String(alert?.minutes ?? 60))
  const [percent, setPercent] = draft.state(
    'percent',
    String(Math.round(100 * (alert?.threshold ?? 0.5))),
  )
  const [pause, setPause] = draft.state('pause', String(alert?.at_most_every_minutes ?? 60))
  const [channel, setChannel] = draft.state('channel', alert?.channel_ids?.[0] ?? '')
  const workflow = useWorkflowChoice(draft, alert?.workflow_ids ?? null)
  const save = useMutation({
    mutationFn: () => {
      const body = {
        name: name.trim() === '' ? alertCauses[on] : name.trim(),
        workflow_ids: ofRuns.includes(on) ? workflow.ids : null,
        channel_ids: channel === '' ? null : [channel],
        minutes: ofTime.includes(on) ? Number(minutes) : null,
        threshold: on === 'failure_rate' ? Number(percent) / 100 : null,
        at_most_every_minutes: Number(pause),
      }
      return alert === undefined
        ? muster.alerts.create({ ...body, on })
        : muster.alerts.update(alert.id, body)
    },
    onSuccess: async () => {
      await refresh()
      draft.discard()
      close()
    },
  })
  return (
    <FormModal
      help="alerts"
      title={alert === undefined ? 'New alert' : 'Change alert'}
      description={
        channels.length === 0 ? 'Create a channel too: alerts go through channels.' : undefined
      }
      draft={draft}
      close={close}
      action={alert === undefined ? 'Create alert' : 'Save'}
      sending={save}
      error={save.error}
    >
      <SelectField
        label="When"
        value={on}
        onChange={setOn}
        disabled={alert !== undefined}
        options={causes.map(([value, label]) => ({ value, label }))}
      />
      <TextField
        label="Name (optional)"
        longest={100}
        placeholder={alertCauses[on]}
        value={name}
        onChange={setName}
      />
      {ofTime.includes(on) && (
        <NumberField
          label={on === 'failure_rate' ? 'In the last minutes' : 'Longer than minutes'}
          value={minutes}
          onChange={setMinutes}
        />
      )}
      {on === 'failure_rate' && (
        <NumberField label="Failed runs (%)" max={100} value={percent} onChange={setPercent} />
      )}
      {ofRuns.includes(on) && workflow.field}
      <SelectField
        label="Channel"
        value={channel}
        onChange={setChannel}
        options={[
          { value: '', label: 'All active channels' },
          ...channels.map(({ id, name: label }) => ({ value: id, label })),
        ]}
      />
      <NumberField label="At most every (minutes)" value={pause} onChange={setPause} />
    </FormModal>
  )
}

function NumberField({
  label,
  value,
  onChange,
  max = 10_080,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  max?: number
}): ReactNode {
  return (
    <TextField
      label={label}
      type="number"
      min={1}
      max={max}
      required
      value={value}
      onChange={onChange}
    />
  )
}
