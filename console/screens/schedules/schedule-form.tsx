import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { CreateSchedule, Schedule } from '../../../sdk/generated.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { Needs } from '../../parts/needs.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
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
  const refresh = useRefresh(['schedules'], ['schedule'], ['schedule-preview'])
  const { data: workflows = [] } = useWorkflows()
  const draft = useFormDraft(`schedule.${schedule?.id ?? `new${given}`}`)
  const [name, setName] = draft.state('name', schedule?.name ?? '')
  const [workflow, setWorkflow] = draft.state('workflow', schedule?.workflow_id ?? given)
  const [input, setInput] = draft.state('input', schedule?.input ?? '')
  const [before] = useState(() => (schedule === undefined ? firstTiming() : toTiming(schedule)))
  const [timing, setTiming] = draft.state('timing', before)
  const [overlap, setOverlap] = draft.state<Overlap>('overlap', schedule?.overlap ?? 'skip')
  const [catchUp, setCatchUp] = draft.state<CatchUp>('catchUp', schedule?.catch_up ?? 'last')
  const [failures, setFailures] = draft.state(
    'failures',
    String(schedule?.pause_after_failures ?? ''),
  )
  const workflowId = workflow === '' ? (workflows[0]?.id ?? '') : workflow
  const due = fromTiming(timing)
  const save = useMutation({
    mutationFn: () => {
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
    },
    onSuccess: async ({ id }) => {
      await refresh()
      draft.discard()
      close()
      if (schedule === undefined) {
        await navigate({ to: '/schedules/$scheduleId', params: { scheduleId: id } })
      }
    },
  })
  const fault = faultOf(save.error)
  const isAtInput = fault?.param === 'input'
  return (
    <FormModal
      help="schedules"
      title={schedule === undefined ? 'New schedule' : 'Edit schedule'}
      draft={draft}
      close={close}
      action={schedule === undefined ? 'Create schedule' : 'Save'}
      sending={save}
      error={isAtInput ? null : save.error}
      isReady={due !== undefined && workflowId !== ''}
    >
      {workflows.length === 0 && <p className="text-ink-soft">Create a workflow first.</p>}
      <SelectField
        label="Workflow"
        value={workflowId}
        onChange={setWorkflow}
        options={workflows.map(({ id, name: label }) => ({ value: id, label }))}
      />
      <Needs
        title="Not ready to run"
        warnings={workflows.find(({ id }) => id === workflowId)?.warnings ?? []}
      />
      <TimingFields
        timing={timing}
        change={(change) => setTiming((before) => ({ ...before, ...change }))}
      />
      <TextArea
        label="Task"
        longest={16_000}
        required={schedule?.data == null}
        hint="Each run gets this text. {{ scheduled_at }} and {{ last_run.output }} are filled in."
        value={input}
        onChange={setInput}
        error={isAtInput ? 'Enter what each run should do' : undefined}
      />
      <TextField label="Name" isOptional longest={120} value={name} onChange={setName} />
      <details>
        <summary className="text-sm font-medium text-ink-soft">More options</summary>
        <div className="mt-3 grid gap-4">
          <SelectField<Overlap>
            label="If the previous run is not finished"
            value={overlap}
            onChange={setOverlap}
            options={optionsOf(overlaps)}
          />
          <SelectField<CatchUp>
            label="After an outage"
            hint="Runs up to one hour late. The others are listed as missed. A run up to two minutes late always starts."
            value={catchUp}
            onChange={setCatchUp}
            options={optionsOf(catchUps)}
          />
          <TextField
            label="Pause after failed runs in a row"
            isOptional
            type="number"
            min={1}
            max={20}
            value={failures}
            onChange={setFailures}
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
