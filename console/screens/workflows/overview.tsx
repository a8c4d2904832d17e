import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Workflow } from '../../../sdk/generated.ts'
import { useGlance } from '../../data/runs/list.ts'
import { RunRow } from '../../parts/runs/run-row.tsx'
import { RecentRunsChart } from '../../parts/usage/recent-runs-chart.tsx'
import { Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Connected } from './connected.tsx'

const shownRuns = 3

/** A workflow's runs, what starts it, and what it uses. */
export function Overview({ workflow }: { workflow: Workflow }): ReactNode {
  const { id, name } = workflow
  const latest = useGlance(`workflow ${id}`, { workflow: id }, shownRuns)
  return (
    <>
      <div className="mb-8 grid grid-cols-1 items-start gap-3 lg:has-[figure]:grid-cols-[3fr_2fr]">
        <section aria-label="Connected">
          <Connected workflow={workflow} />
        </section>
        <RecentRunsChart workflowId={id} />
      </div>
      <Section
        title="Latest runs"
        aside={
          <Link to="/runs" search={{ workflow: id }} className="link text-sm">
            All runs
          </Link>
        }
      >
        <div className="panel overflow-hidden">
          <Loaded query={latest} lines={3}>
            {({ runs }) =>
              runs.length === 0 ? (
                <p className="px-4 py-3 text-ink-soft">No runs yet.</p>
              ) : (
                <ul aria-label="Latest runs" className="divide-y">
                  {runs.map((run) => (
                    <li key={run.id}>
                      <RunRow run={run} workflowName={name} isMarked={false} />
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </div>
      </Section>
    </>
  )
}
