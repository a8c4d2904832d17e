import { getRouteApi } from '@tanstack/react-router'
import { ListChecks, ListTree } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { plural } from '../../ui/text/format.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { useAgents } from '../../data/agents.ts'
import { useWorkflowNames, useWorkflows } from '../../data/workflows.ts'
import { ChosenBar } from './chosen-bar.tsx'
import { useChoice } from './choose.ts'
import { ExportRuns } from './export-runs.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { Filters } from '../../data/runs/filters.ts'
import { useRunCounts, useRuns } from '../../data/runs/list.ts'
import { RunList } from './run-list.tsx'
import { ViewsMenu } from './views-menu.tsx'

const route = getRouteApi('/runs')

/** All runs of the account, newest first, live; the filters are in the URL. */
export function RunsScreen(): ReactNode {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const { data: workflows = [] } = useWorkflows()
  const { data: agents = [] } = useAgents()
  const query = useRuns(filters)
  const { rights } = useSession()
  const list = JSON.stringify(filters)
  const { choice, begin } = useChoice(list, query.data ?? [])
  const select = useRef<HTMLButtonElement>(null)
  const runs = choice?.runs ?? query.data ?? []
  const nameOf = useWorkflowNames(runs)
  const { data: counts } = useRunCounts(filters)
  const change = (search: Filters) => void navigate({ search })
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Page
      title="Runs"
      actions={
        <>
          <ViewsMenu filters={filters} change={change} />
          {runs.length > 0 && (
            <>
              <ExportRuns filters={filters} />
              {rights.write && (
                <Button
                  ref={select}
                  icon={ListChecks}
                  aria-pressed={choice !== undefined}
                  onClick={choice?.end ?? begin}
                >
                  Select
                </Button>
              )}
            </>
          )}
        </>
      }
    >
      <FilterBar
        filters={filters}
        workflows={workflows}
        agents={agents}
        counts={counts}
        change={change}
      />
      {runs.length > 0 && (
        <p role="status" className="mb-2 text-sm text-ink-faint">
          {query.hasNextPage ? `First ${runs.length} runs` : plural(runs.length, 'run')}
        </p>
      )}
      {query.error !== null && (
        <div className="mb-4">
          <Failure error={query.error} retry={() => void query.refetch()} />
        </div>
      )}
      {query.isPending ? (
        <div className="panel">
          <Loading lines={8} label="Loading runs" />
        </div>
      ) : runs.length === 0 ? (
        <div className="panel">
          <Empty
            icon={ListTree}
            title={isFiltered ? 'No matching runs' : 'No runs yet'}
            help="runs"
          >
            <p>
              {isFiltered
                ? 'Clear filters, or choose other ones.'
                : 'Open a workflow and try it, or trigger it from a program.'}
            </p>
          </Empty>
        </div>
      ) : (
        <div className="mb-4">
          <RunList
            key={list}
            latest={runs}
            nameOf={nameOf}
            search={filters.find}
            showMore={
              query.hasNextPage && !query.isFetchingNextPage
                ? () => void query.fetchNextPage()
                : undefined
            }
            choice={choice}
          />
        </div>
      )}
      {choice !== undefined && <ChosenBar choice={choice} onEnd={() => select.current?.focus()} />}
    </Page>
  )
}
