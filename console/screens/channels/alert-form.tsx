import type { ReactNode } from 'react'
import type { Alert } from '../../../sdk/generated.ts'
import { alertCauses, useChannels } from '../../data/channels.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { choiceOf, workflowIds, WorkflowsField } from './channel-form.tsx'

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
  const { data: channels = [] } = useChannels()
  const before = alert?.workflow_ids ?? null
  const dialog = useDialogForm({
    draft: `alert.${alert?.id ?? 'new'}`,
    initial: {
      on: alert?.on ?? 'run.failed',
      name: alert?.name ?? '',
      minutes: String(alert?.minutes ?? 60),
      percent: String(Math.round(100 * (alert?.threshold ?? 0.5))),
      pause: String(alert?.at_most_every_minutes ?? 60),
      channel: alert?.channel_ids?.[0] ?? '',
      workflow: choiceOf(before),
    },
    refresh: useRefresh(['alerts']),
    saved: close,
  })
  const { field } = dialog
  const { on, name, minutes, percent, pause, channel, workflow } = dialog.form
  const send = (): Promise<Alert> => {
    const body = {
      name: name.trim() === '' ? alertCauses[on] : name.trim(),
      workflow_ids: ofRuns.includes(on) ? workflowIds(workflow, before) : null,
      channel_ids: channel === '' ? null : [channel],
      minutes: ofTime.includes(on) ? Number(minutes) : null,
      threshold: on === 'failure_rate' ? Number(percent) / 100 : null,
      at_most_every_minutes: Number(pause),
    }
    return alert === undefined
      ? muster.alerts.create({ ...body, on })
      : muster.alerts.update(alert.id, body)
  }
  return (
    <FormModal
      help="alerts"
      title={alert === undefined ? 'New alert' : 'Change alert'}
      description={
        channels.length === 0 ? 'Create a channel too: alerts go through channels.' : undefined
      }
      dialog={dialog}
      close={close}
      action={alert === undefined ? 'Create alert' : 'Save'}
      send={send}
    >
      <SelectField
        label="When"
        {...field('on')}
        disabled={alert !== undefined}
        options={causes.map(([value, label]) => ({ value, label }))}
      />
      <TextField
        label="Name (optional)"
        longest={100}
        placeholder={alertCauses[on]}
        {...field('name')}
      />
      {ofTime.includes(on) && (
        <NumberField
          label={on === 'failure_rate' ? 'In the last minutes' : 'Longer than minutes'}
          {...field('minutes')}
        />
      )}
      {on === 'failure_rate' && (
        <NumberField label="Failed runs (%)" max={100} {...field('percent')} />
      )}
      {ofRuns.includes(on) && <WorkflowsField before={before} {...field('workflow')} />}
      <SelectField
        label="Channel"
        {...field('channel')}
        options={[
          { value: '', label: 'All active channels' },
          ...channels.map(({ id, name: label }) => ({ value: id, label })),
        ]}
      />
      <NumberField label="At most every (minutes)" {...field('pause')} />
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
