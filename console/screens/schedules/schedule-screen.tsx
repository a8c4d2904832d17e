import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Pencil, Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Schedule } from '../../../sdk/generated.ts'
import { useComing, useSchedule } from '../../data/schedules.ts'
import { useWorkflowNames } from '../../data/workflows.ts'
import { Needs } from '../../parts/needs.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Found } from '../../ui/found.tsx'
import { OpenForm } from '../../ui/form/open-form.tsx'
import { Page, Section, WayBack } from '../../ui/page.tsx'
import { PauseOrDelete } from '../../ui/pause-or-delete.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { Firings } from './firings.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { ScheduleState } from './schedule-state.tsx'
import { WallTime } from './wall-time.tsx'

/** One schedule: its next firings and its history. */
export function ScheduleScreen(): ReactNode {
  const { scheduleId } = useParams({ from: '/schedules/$scheduleId' })
  const { rights } = useSession()
  const query = useSchedule(scheduleId)
  return (
    <Found query={query} tab="Schedule" lines={8}>
      {(schedule) => (
        <Page
          title={schedule.name}
          tab="Schedule"
          above={
            <WayBack to="/schedules" label="Schedules">
              <ScheduleState schedule={schedule} />
            </WayBack>
          }
          about={<About schedule={schedule} />}
          actions={rights.write && <Actions schedule={schedule} />}
        >
          {schedule.paused_reason !== null && (
            <p role="note" className="mb-6 rounded-md bg-bad-soft px-4 py-3 text-bad">
              Paused: {schedule.paused_reason}. Activate it once the cause is fixed.
            </p>
          )}
          <Needs
            title={
              schedule.status === 'paused' ? 'To do before you activate it' : 'Not ready to run'
            }
            warnings={schedule.warnings}
          />
          <div className="grid gap-x-8 lg:grid-cols-[1fr_18rem]">
            <div className="min-w-0">
              <Firings schedule={schedule} />
            </div>
            <div className="min-w-0">
              <Coming schedule={schedule} />
              <Task schedule={schedule} />
            </div>
          </div>
        </Page>
      )}
    </Found>
  )
}

function About({ schedule }: { schedule: Schedule }): ReactNode {
  const nameOf = useWorkflowNames([schedule])
  const { in_words, next_due_at: nextAt, workflow_id: workflowId } = schedule
  return (
    <p className="flex flex-wrap gap-x-3">
      <span>{in_words}</span>
      {nextAt !== null && (
        <span>
          next <Ago at={nextAt} />
        </span>
      )}
      <Link to="/workflows/$workflowId" params={{ workflowId }} className="link">
        {nameOf(workflowId)}
      </Link>
    </p>
  )
}

function Actions({ schedule }: { schedule: Schedule }): ReactNode {
  const { id, name, status } = schedule
  const { muster } = useSession()
  const navigate = useNavigate()
  const refresh = useRefresh(['schedule', id], ['schedules'], ['firings', id])
  const fire = useMutation({ mutationFn: () => muster.schedules.trigger(id), onSettled: refresh })
  return (
    <>
      <Button kind="primary" icon={Play} isBusy={fire.isPending} onClick={() => fire.mutate()}>
        Run now
      </Button>
      <OpenForm icon={Pencil} label="Change">
        {(close) => <ScheduleForm schedule={schedule} close={close} />}
      </OpenForm>
      <PauseOrDelete
        name={name}
        status={status === 'active' ? 'active' : 'paused'}
        setStatus={async (to) => {
          await muster.schedules.update(id, { status: to })
          await refresh()
        }}
        remove={async () => {
          await muster.schedules.delete(id)
          await refresh()
          await navigate({ to: '/schedules' })
        }}
      >
        Its firings go with it; the runs stay.
      </PauseOrDelete>
      {fire.error !== null && <Failure error={fire.error} />}
    </>
  )
}

function Coming({ schedule }: { schedule: Schedule }): ReactNode {
  const { id, status, updated_at, next_due_at, time_zone: zone } = schedule
  const query = useComing(id, `${updated_at} ${next_due_at}`)
  if (status === 'ended') return null
  return (
    <Section title={status === 'paused' ? 'Next once active' : 'Next'}>
      <div className="panel px-4 py-3 text-sm">
        <Loaded query={query}>
          {({ due }) => (
            <ol aria-label="Next" className="grid gap-1">
              {due.map((at) => (
                <li key={at}>
                  <WallTime at={at} zone={zone} />
                </li>
              ))}
            </ol>
          )}
        </Loaded>
      </div>
    </Section>
  )
}

function Task({ schedule: { input, data } }: { schedule: Schedule }): ReactNode {
  return (
    <Section title="Task">
      <div className="panel px-4 py-3 text-sm">
        {input !== null && <Text text={input} />}
        {data !== null && <Text text={JSON.stringify(data, null, 2)} mono />}
      </div>
    </Section>
  )
}
