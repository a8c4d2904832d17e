import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { CreateSchedule, Schedule } from '../../../sdk/generated.ts'
import { useChosenWorkflow } from '../../data/workflows.ts'
import { Needs } from '../../parts/needs.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { TimingFields } from './timing-fields.tsx'
import { firstTiming, fromTiming, toTiming } from './timing.ts'

type Overlap = Schedule['overlap']
type CatchUp = Schedule['catch_up']

const overlaps: Record<Overlap, string> = {
  skip: 'Skip the new run',
  queue: 'Wait until it is finished',
  cancel_previous: 'Cancel it and start the new run',
  allow: 'Run both at the same time',
}

const catchUps: Record<CatchUp, string> = {
  last: 'Start the last missed run',
  all: 'Start every missed run',
  none: 'Start nothing',
}

interface Props {
  /** The schedule to change; undefined to create one. */
  schedule?: Schedule
  /** The workflow of a new schedule. */
  workflowId?: string | undefined
  close: () => void
}

/** Creates or changes a schedule. */
export function ScheduleForm({ schedule, workflowId: given = '', close }: Props): ReactNode {
  const { muster } = useSession()
  const navigate = useNavigate()
  const [firstly] = useState(() => (schedule === undefined ? firstTiming() : toTiming(schedule)))
  const dialog = useDialogForm({
    draft: `schedule.${schedule?.id ?? `new${given}`}`,
    initial: {
      name: schedule?.name ?? '',
      workflow: schedule?.workflow_id ?? given,
      input: schedule?.input ?? '',
      timing: firstly,
      overlap: schedule?.overlap ?? 'skip',
      catchUp: schedule?.catch_up ?? 'last',
      failures: String(schedule?.pause_after_failures ?? ''),
    },
    errorsAt: ['input'],
    refresh: useRefresh(['schedules'], ['schedule'], ['schedule-preview']),
    saved: async ({ id }: Schedule) => {
      close()
      if (schedule !== undefined) return
      await navigate({ to: '/schedules/$scheduleId', params: { scheduleId: id } })
    },
  })
  const { set, field } = dialog
  const { name, input, timing, overlap, catchUp, failures } = dialog.form
  const { workflowId, workflow, options } = useChosenWorkflow(dialog.form.workflow)
  const due = fromTiming(timing)
  const send = (): Promise<Schedule> => {
    const body: CreateSchedule = {
      ...due,
      ...(name.trim() !== '' && { name: name.trim() }),
      workflow_id: workflowId,
      // A schedule with data needs no input text.
      ...((input !== '' || schedule?.input != null) && { input: input === '' ? null : input }),
      overlap,
      catch_up: catchUp,
      pause_after_failures: failures === '' ? null : Number(failures),
    }
    return schedule === undefined
      ? muster.schedules.create(body)
      : muster.schedules.update(schedule.id, body)
  }
  return (
    <FormModal
      help="schedules"
      title={schedule === undefined ? 'New schedule' : 'Edit schedule'}
      dialog={dialog}
      close={close}
      action={schedule === undefined ? 'Create schedule' : 'Save'}
      send={send}
      isReady={due !== undefined && workflowId !== ''}
    >
      {options.length === 0 && <p className="text-ink-soft">Create a workflow first.</p>}
      <SelectField label="Workflow" {...field('workflow')} value={workflowId} options={options} />
      <Needs title="Not ready to run" warnings={workflow?.warnings ?? []} />
      <TimingFields
        timing={timing}
        change={(change) => set({ timing: { ...timing, ...change } })}
      />
      <TextArea
        label="Task"
        longest={16_000}
        required={schedule?.data == null}
        hint="Each run gets this text. {{ scheduled_at }} and {{ last_run.output }} are filled in."
        {...field('input')}
        error={dialog.fault && 'Enter what each run should do'}
      />
      <TextField label="Name" isOptional longest={120} {...field('name')} />
      <details>
        <summary className="text-sm font-medium text-ink-soft">More options</summary>
        <div className="mt-3 grid gap-4">
          <SelectField<Overlap>
            label="If the previous run is not finished"
            {...field('overlap')}
            options={optionsOf(overlaps)}
          />
          <SelectField<CatchUp>
            label="After an outage"
            hint="Runs up to one hour late. The others are listed as missed. A run up to two minutes late always starts."
            {...field('catchUp')}
            options={optionsOf(catchUps)}
          />
          <TextField
            label="Pause after failed runs in a row"
            isOptional
            type="number"
            min={1}
            max={20}
            {...field('failures')}
          />
        </div>
      </details>
    </FormModal>
  )
}

function optionsOf<Value extends string>(
  words: Record<Value, string>,
): { value: Value; label: string }[] {
  return (Object.entries(words) as [Value, string][]).map(([value, label]) => ({ value, label }))
}
