import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Run } from '../../sdk/generated.ts'
import { CaseList } from '../inbox/list.tsx'
import { usePending } from '../inbox/queries.ts'
import { glanceQuery } from '../runs/queries.ts'
import { RunRow } from '../runs/run-row.tsx'
import { useSession } from '../session/session.tsx'
import { Page, Section, usePageTitle } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { workflowsQuery } from '../workflows/queries.ts'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'

/** What needs somebody, what goes on, and what today cost. */
export function HomeScreen(): ReactNode {
  usePageTitle('Home')
  const { muster, identity } = useSession()
  const latest = useQuery(glanceQuery(muster, 'latest', {}))
  return (
    <Page title={identity.account.name}>
      <Loaded query={latest} lines={8}>
        {({ runs }) => (
          <>
            {runs.length === 0 ? <FirstSteps /> : <Figures />}
            <Waiting />
            {runs.length > 0 && <Latest runs={runs.slice(0, 8)} />}
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
    <Section title="Waiting for a person" aside={<More to="/inbox">All in the inbox</More>}>
      <div className="panel overflow-hidden *:border-0">
        <CaseList cases={pending.slice(0, 4)} />
      </div>
    </Section>
  )
}

function Latest({ runs }: { runs: Run[] }): ReactNode {
  const { muster } = useSession()
  const { data: workflows = [] } = useQuery(workflowsQuery(muster))
  const names = new Map(workflows.map(({ id, name }) => [id, name]))
  return (
    <Section title="Latest runs" aside={<More to="/runs">All runs</More>}>
      <ul className="panel divide-y overflow-hidden">
        {runs.map((run) => (
          <li key={run.id}>
            <RunRow run={run} workflowName={names.get(run.workflow_id)} />
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
