import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hasEnded, runStates, stateOf } from '../../data/runs/states.ts'
import { Found } from '../../ui/found.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { useWorkflowNames, useWorkflows } from '../../data/workflows.ts'
import { useRunEvents } from './events.ts'
import { Given } from '../../parts/run/given.tsx'
import { OutputSection } from './output-section.tsx'
import { Failed, IsHeld, Waits, Warnings } from './notices.tsx'
import { useRun } from '../../data/runs/one.ts'
import { aboutDescendants, useDescendants } from './descendants.tsx'
import { WrittenFiles } from './run-files.tsx'
import { Spoken } from './spoken.tsx'
import { RunActions, RunFigures, RunTitle } from './run-head.tsx'
import { Timeline } from './run-timeline.tsx'

/** One run, live: its status, timeline and output. */
export function RunScreen(): ReactNode {
  const { runId } = useParams({ from: '/runs/$runId' })
  const query = useRun(runId)
  const feed = useRunEvents(runId, query.data && hasEnded(query.data))
  const descendants = useDescendants(runId, query.data)
  const { data: workflows } = useWorkflows()
  const workflow = workflows?.find(({ id }) => id === query.data?.workflow_id)
  const nameOf = useWorkflowNames(query.data === undefined ? [] : [query.data])
  const name = nameOf(query.data?.workflow_id ?? '')
  return (
    <Found query={query} tab="Run" lines={10}>
      {(run) => (
        <Page
          title={name}
          tab={`${runStates[stateOf(run)].word} · Run of ${name}`}
          above={<RunTitle run={run} hasWorkflow={workflow !== undefined} />}
          about={aboutDescendants(run, descendants)}
          actions={<RunActions run={run} hasWorkflow={workflow !== undefined} name={name} />}
        >
          <Spoken run={run} />
          <RunFigures run={run} feed={feed} />
          <Failed run={run} />
          <Waits run={run} />
          <IsHeld run={run} />
          <Warnings run={run} />
          <OutputSection key={run.id} run={run} streamed={feed.streamed} />
          <Timeline run={run} events={feed.events} />
          <WrittenFiles run={run} />
          <Section title="Input">
            <div className="panel px-4 py-3">
              <Given run={run} />
            </div>
          </Section>
        </Page>
      )}
    </Found>
  )
}
