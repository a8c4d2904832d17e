import { CalendarClock } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Firing, Schedule } from '../../../sdk/generated.ts'
import { useFirings } from '../../data/schedules.ts'
import { StartedRunLink } from '../../parts/runs/started-run.tsx'
import { List } from '../../ui/list.tsx'
import { Section } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { StatusFilter, useStatus } from '../../ui/status-filter.tsx'
import { Dot } from '../../ui/status.tsx'
import { firingStates } from './schedule-state.tsx'
import { WallTime } from './wall-time.tsx'

/** The firings of a schedule, newest first. */
export function Firings({ schedule: { id, time_zone: zone } }: { schedule: Schedule }): ReactNode {
  const [status, setStatus] = useStatus(firingStates)
  const query = useFirings(id, status)
  const filter = (
    <StatusFilter
      label="Status of the firings"
      states={firingStates}
      value={status}
      onChange={setStatus}
    />
  )
  return (
    <Section title="History" aside={filter}>
      <List
        label="History"
        query={query}
        empty={
          <Empty
            icon={CalendarClock}
            help="firings"
            title={status === '' ? 'No runs started yet' : 'No matching firings'}
          />
        }
      >
        {(firing) => <Row firing={firing} zone={zone} />}
      </List>
    </Section>
  )
}

const kinds: Record<Firing['kind'], string> = {
  scheduled: '',
  manual: 'started by hand',
  backfill: 'backfill',
}

function Row({ firing, zone }: { firing: Firing; zone: string }): ReactNode {
  const { due_at: dueAt, missed_until: until, kind, status, why } = firing
  const { tone, word } = firingStates[status]
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
      <span className="w-24">
        <Dot tone={tone} isLive={status === 'due'}>
          {word}
        </Dot>
      </span>
      <span className="min-w-40 flex-1">
        <WallTime at={dueAt} zone={zone} />
        {until !== null && (
          <>
            {' to '}
            <WallTime at={until} zone={zone} />
          </>
        )}
        {kind !== 'scheduled' && <span className="text-ink-faint"> · {kinds[kind]}</span>}
      </span>
      <StartedRunLink started={firing} />
      {why !== null && <p className="said basis-full text-ink-soft">{why}</p>}
    </div>
  )
}
