import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ListTree } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { SelectField } from '../ui/field.tsx'
import { Page, usePageTitle } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/states.tsx'
import { workflowsQuery } from '../workflows/queries.ts'
import type { Filters } from './filters.ts'
import { recentRunsQuery } from './queries.ts'
import { RunList } from './run-list.tsx'
import { runStates, stateOf, type RunState } from './status.ts'

const route = getRouteApi('/runs')

/** All runs, newest first, live; what is shown stands in the address. */
export function RunsScreen(): ReactNode {
  usePageTitle('Runs')
  const { muster } = useSession()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const { data: workflows = [] } = useQuery(workflowsQuery(muster))
  const shown = workflows.filter(
    ({ id }) => filters.workflow === undefined || id === filters.workflow,
  )
  const runs = useQuery(recentRunsQuery(muster, shown))
  const set = (change: Filters) => void navigate({ search: change, replace: true })
  const names = new Map(workflows.map(({ id, name }) => [id, name]))
  return (
    <Page title="Runs">
      <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
        <StateChips
          state={filters.state}
          choose={({ state }) =>
            set({
              ...(state === undefined ? {} : { state }),
              ...(filters.workflow === undefined ? {} : { workflow: filters.workflow }),
            })
          }
        />
        <div className="w-full sm:w-60">
          <SelectField
            label="Workflow"
            isLabelHidden
            value={filters.workflow ?? ''}
            onChange={(workflow) =>
              set({
                ...(workflow === '' ? {} : { workflow }),
                ...(filters.state === undefined ? {} : { state: filters.state }),
              })
            }
            options={[
              { value: '', label: 'All workflows' },
              ...workflows.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </div>
      </div>
      <Loaded query={runs} lines={8}>
        {(runs) => {
          const found = runs.filter(
            (run) => filters.state === undefined || stateOf(run) === filters.state,
          )
          return found.length === 0 ? (
            <div className="panel">
              <Empty
                icon={ListTree}
                title={runs.length === 0 ? 'No runs yet' : 'No run is like that'}
              >
                <p>
                  {runs.length === 0
                    ? 'Open a workflow and try it, or trigger it from a program.'
                    : 'Choose another state or workflow.'}
                </p>
              </Empty>
            </div>
          ) : (
            <RunList runs={found} names={names} />
          )
        }}
      </Loaded>
    </Page>
  )
}

interface ChipsProps {
  state: RunState | undefined
  choose: (choice: { state: RunState | undefined }) => void
}

function StateChips({ state, choose }: ChipsProps): ReactNode {
  const states = Object.keys(runStates) as RunState[]
  return (
    <div role="group" aria-label="State" className="flex flex-wrap gap-1.5">
      {[undefined, ...states].map((name) => (
        <button
          key={name ?? 'all'}
          type="button"
          aria-pressed={state === name}
          onClick={() => choose({ state: name })}
          className="h-8 rounded-full border px-3 text-sm text-ink-soft hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent pointer-coarse:h-10"
        >
          {name === undefined ? 'All' : runStates[name].word}
        </button>
      ))}
    </div>
  )
}
