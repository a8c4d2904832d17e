import { CalendarClock } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Firing, Schedule } from '../../../sdk/generated.ts'
import { useFirings } from '../../data/schedules.ts'
import { StartedRunLink } from '../../parts/runs/started-run.tsx'
import { OutcomeList } from '../../parts/resource-list.tsx'
import { useStatus } from '../../ui/status-filter.tsx'
import { Dot } from '../../ui/status.tsx'
import { firingStates } from './schedule-state.tsx'
import { WallTime } from './wall-time.tsx'

/** The firings of a schedule, newest first. */
export function Firings({ schedule: { id, time_zone: zone } }: { schedule: Schedule }): ReactNode {
  const chosen = useStatus(firingStates)
  const query = useFirings(id, chosen[0])
  return (
    <OutcomeList
      title="History"
      noun="firings"
      query={query}
      states={firingStates}
      chosen={chosen}
      empty={{ icon: CalendarClock, title: 'No runs started yet', help: 'firings' }}
    >
      {(firing) => <Row firing={firing} zone={zone} />}
    </OutcomeList>
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
