import { Link } from '@tanstack/react-router'
import { CalendarClock } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Schedule } from '../../../sdk/generated.ts'
import { useSchedules } from '../../data/schedules.ts'
import { useWorkflowNames } from '../../data/workflows.ts'
import { useSession } from '../../session/session.tsx'
import { rowLook } from '../../ui/list.tsx'
import { OpenNew } from '../../ui/form/open-new.tsx'
import { WayBack } from '../../ui/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Badge } from '../../ui/status.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { firingStates, ScheduleState } from './schedule-state.tsx'
import { WallTime } from './wall-time.tsx'

export function SchedulesScreen(): ReactNode {
  const { rights } = useSession()
  const query = useSchedules()
  const nameOf = useWorkflowNames(query.data ?? [])
  const create = rights.write && (
    <OpenNew label="New schedule">
      {(close, workflowId) => <ScheduleForm workflowId={workflowId} close={close} />}
    </OpenNew>
  )
  return (
    <ResourceList
      title="Schedules"
      above={<WayBack to="/connections" label="Connections" />}
      about="Runs that start at set times."
      actions={create}
      query={query}
      textOf={(one) => [one.name, one.in_words, one.key, nameOf(one.workflow_id)].join(' ')}
      empty={{
        icon: CalendarClock,
        title: 'No schedules yet',
        help: 'schedules',
        text: 'A schedule starts a workflow by itself, such as every Monday at 09:00.',
      }}
    >
      {(schedule) => <Row schedule={schedule} workflow={nameOf(schedule.workflow_id)} />}
    </ResourceList>
  )
}

function Row({ schedule, workflow }: { schedule: Schedule; workflow: string }): ReactNode {
  const { id, name, in_words, next_due_at: nextAt, time_zone: zone, last_firing: last } = schedule
  const state = last === null || last.status === 'fired' ? undefined : firingStates[last.status]
  return (
    <Link to="/schedules/$scheduleId" params={{ scheduleId: id }} className={rowLook}>
      <span className="min-w-0 flex-1 basis-64">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-sm text-ink-soft">{in_words}</span>
      </span>
      <span className="min-w-0 truncate text-sm text-ink-soft sm:w-44">{workflow}</span>
      <span className="text-sm sm:w-52">
        {nextAt === null ? (
          <ScheduleState schedule={schedule} />
        ) : (
          <span>
            Next <WallTime at={nextAt} zone={zone} />
          </span>
        )}
      </span>
      <span className="text-sm sm:w-20 sm:text-right">
        {state !== undefined && <Badge tone={state.tone}>{state.word}</Badge>}
      </span>
    </Link>
  )
}
