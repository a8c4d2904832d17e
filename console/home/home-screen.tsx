import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Run, Workflow } from '../../sdk/generated.ts'
import { CaseList } from '../inbox/list.tsx'
import { usePending } from '../inbox/queries.ts'
import { recentRunsQuery } from '../runs/queries.ts'
import { RunRow } from '../runs/run-row.tsx'
import { stateOf } from '../runs/status.ts'
import { useSession } from '../session/session.tsx'
import { useNow } from '../ui/clock.ts'
import { formatCount, formatUsd } from '../ui/format.ts'
import { Page, Section, usePageTitle } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { workflowsQuery } from '../workflows/queries.ts'
import { FirstSteps } from './first-steps.tsx'

/** What needs somebody, what goes on, and what today cost. */
export function HomeScreen(): ReactNode {
  usePageTitle('Home')
  const { muster, identity } = useSession()
  const workflows = useQuery(workflowsQuery(muster))
  return (
    <Page title={identity.account.name}>
      <Loaded query={workflows} lines={6}>
        {(workflows) => <Account workflows={workflows} />}
      </Loaded>
    </Page>
  )
}

function Account({ workflows }: { workflows: Workflow[] }): ReactNode {
  const { muster } = useSession()
  const runs = useQuery(recentRunsQuery(muster, workflows))
  const { data: pending = [] } = usePending()
  const nameOf = new Map(workflows.map(({ id, name }) => [id, name]))
  return (
    <>
      <Loaded query={runs} lines={6}>
        {(runs) => (
          <>
            {runs.length === 0 ? (
              <FirstSteps workflows={workflows} />
            ) : (
              <Today runs={runs} waiting={pending.length} />
            )}
            {pending.length > 0 && (
              <Section
                title="Waiting for a person"
                aside={<More to="/inbox">All in the inbox</More>}
              >
                <div className="panel overflow-hidden *:border-0">
                  <CaseList cases={pending.slice(0, 4)} />
                </div>
              </Section>
            )}
            {runs.length > 0 && (
              <Section title="Latest runs" aside={<More to="/runs">All runs</More>}>
                <ul className="panel divide-y overflow-hidden">
                  {runs.slice(0, 8).map((run) => (
                    <li key={run.id}>
                      <RunRow run={run} workflowName={nameOf.get(run.workflow_id)} />
                    </li>
                  ))}
                </ul>
              </Section>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function More({ to, children }: { to: string; children: ReactNode }): ReactNode {
  return (
    <Link to={to} className="text-sm link">
      {children}
    </Link>
  )
}

function Today({ runs, waiting }: { runs: Run[]; waiting: number }): ReactNode {
  const midnight = new Date(useNow(60_000)).setHours(0, 0, 0, 0)
  const today = runs.filter(({ created_at }) => Date.parse(created_at) >= midnight)
  const count = (...states: string[]) => today.filter((run) => states.includes(stateOf(run))).length
  const failed = count('failed')
  return (
    <dl className="mb-8 grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure name="Waiting" value={formatCount(waiting)} tone={waiting > 0 ? 'text-warn' : ''} />
      <Figure name="Under way" value={formatCount(count('queued', 'running'))} />
      <Figure name="Failed today" value={formatCount(failed)} tone={failed > 0 ? 'text-bad' : ''} />
      <Figure
        name="Spent today"
        value={formatUsd(today.reduce((sum, { cost_usd }) => sum + cost_usd, 0))}
      />
    </dl>
  )
}

function Figure({
  name,
  value,
  tone = '',
}: {
  name: string
  value: string
  tone?: string
}): ReactNode {
  return (
    <div className="panel px-4 py-3">
      <dt className="text-sm text-ink-soft">{name}</dt>
      <dd className={`mt-0.5 text-2xl font-semibold tracking-tight tabular-nums ${tone}`}>
        {value}
      </dd>
    </div>
  )
}
