import { Link } from '@tanstack/react-router'
import { useRef, type ReactNode } from 'react'
import type { Run } from '../../../sdk/generated.ts'
import { CaseList } from '../../parts/inbox/list.tsx'
import { usePending } from '../../data/inbox.ts'
import { useHeld } from '../../parts/runs/held.ts'
import { NewerRuns } from '../../parts/runs/newer-runs.tsx'
import { useGlance } from '../../data/runs/list.ts'
import { RunRow } from '../../parts/runs/run-row.tsx'
import { RecentRunsChart } from '../../parts/usage/recent-runs-chart.tsx'
import { useSession } from '../../session/session.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useWorkflowNames } from '../../data/workflows.ts'
import { Channels } from './channels.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Logins } from './logins.tsx'
import { NextFiring } from './next-firing.tsx'
import { Workers } from './workers.tsx'

/** Waiting cases, running and failed runs, and today's cost. */
export function HomeScreen(): ReactNode {
  const { identity, rights } = useSession()
  const latest = useGlance('latest', {})
  return (
    <Page
      title={identity.account.name}
      tab="Home"
      about={
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          <Workers />
          <Channels />
          <Logins />
          <NextFiring />
        </div>
      }
    >
      <Loaded query={latest} lines={8}>
        {({ runs }) => (
          <>
            {runs.length > 0 && <Figures />}
            {(runs.length === 0 || rights.write) && <FirstSteps latest={runs} />}
            <Waiting />
            {runs.length > 0 && (
              <>
                <div className="mb-8 empty:hidden">
                  <RecentRunsChart />
                </div>
                <Latest latest={runs} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Waiting(): ReactNode {
  const { data: pending = [] } = usePending()
  if (pending.length === 0) return null
  return (
    <Section title="Waiting for a person" aside={<More to="/inbox">Open inbox</More>}>
      <div className="panel overflow-hidden *:border-0">
        <CaseList cases={pending.slice(0, 4)} />
      </div>
    </Section>
  )
}

function Latest({ latest }: { latest: Run[] }): ReactNode {
  const list = useRef<HTMLUListElement>(null)
  const { runs, newer, marked, release } = useHeld(list, latest)
  const nameOf = useWorkflowNames(runs)
  return (
    <Section title="Latest runs" aside={<More to="/runs">All runs</More>}>
      <NewerRuns count={newer.length} release={release} />
      <ul ref={list} className="panel divide-y overflow-hidden">
        {runs.slice(0, 8).map((run) => (
          <li key={run.id}>
            <RunRow
              run={run}
              workflowName={nameOf(run.workflow_id)}
              isMarked={marked.has(run.id)}
            />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function More({ to, children }: { to: string; children: ReactNode }): ReactNode {
  return (
    <Link to={to} className="link text-sm">
      {children}
    </Link>
  )
}
