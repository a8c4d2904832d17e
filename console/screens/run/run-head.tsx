import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { CircleStop, Play, RotateCcw } from 'lucide-react'
import { useMemo, type ReactNode } from 'react'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { RunStatus } from '../../parts/runs/run-status.tsx'
import { hasEnded, isIdle, stateOf } from '../../data/runs/states.ts'
import { Tags } from '../../parts/runs/tags.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/text/copy.tsx'
import { Failure } from '../../ui/failure.tsx'
import { formatCount, formatSpan, formatCost } from '../../ui/text/format.ts'
import { showInvisible } from '../../ui/text/invisible.ts'
import { Dot } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { allGivenTo } from '../../parts/run/copy-as.ts'
import { CopyAs } from './copy-menu.tsx'
import { ForkButton } from './fork.tsx'
import type { Feed } from './events.ts'
import { useRunClock } from './run-clock.ts'
import { timesOf, waitsOf } from './timeline.ts'

interface TitleProps {
  run: RunWithSteps
  hasWorkflow: boolean
}

/** Above the title: a link to the list, and the run's id. */
export function RunTitle({ run, hasWorkflow }: TitleProps): ReactNode {
  const { id, workflow_id: workflowId, retry_of: retryOf, forked_from: origin } = run
  return (
    <div className="mb-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-ink-soft">
      <Link to="/runs" className="hover:underline">
        Runs
      </Link>
      <span aria-hidden="true">/</span>
      <span className="flex max-w-full min-w-0 items-center gap-1">
        <span title={id} className="truncate font-mono text-xs">
          {id}
        </span>
        <CopyButton text={id} label="Copy the id" />
      </span>
      {hasWorkflow && (
        <Link to="/workflows/$workflowId" params={{ workflowId }} className="link">
          Workflow
        </Link>
      )}
      {hasWorkflow && run.workflow_version !== null && (
        <Link
          to="/workflows/$workflowId/versions"
          params={{ workflowId }}
          search={{ version: run.workflow_version }}
          className="link"
        >
          Version {run.workflow_version}
        </Link>
      )}
      {retryOf !== null && (
        <Link to="/runs/$runId" params={{ runId: retryOf }} className="link">
          Retry of an earlier run
        </Link>
      )}
      {origin !== null && (
        <>
          <Link to="/runs/$runId" params={{ runId: origin.run_id }} className="link">
            Forked from step {origin.step + 1} of an earlier run
          </Link>
          <Link
            to="/runs/$runId/compare/$otherId"
            params={{ runId: origin.run_id, otherId: id }}
            className="link"
          >
            Compare
          </Link>
        </>
      )}
      <Tags tags={run.tags} linked />
    </div>
  )
}

/** A retry keeps the finished steps; "Run again" starts over with the current workflow. */
export function RunActions({ run, hasWorkflow, name }: TitleProps & { name: string }): ReactNode {
  const { muster, rights } = useSession()
  const refresh = useRefresh(['run', run.id])
  const navigate = useNavigate()
  const retry = useMutation({
    mutationFn: () => muster.runs.retry(run.id),
    onSuccess: ({ id }) => navigate({ to: '/runs/$runId', params: { runId: id } }),
  })
  const again = useMutation({
    // Subscribes before the start, so that the run's page shows its first step from the first word.
    mutationFn: () => muster.runs.create(run.workflow_id, allGivenTo(run), { deltas: true }),
    onSuccess: ({ id }) => navigate({ to: '/runs/$runId', params: { runId: id } }),
  })
  const cancel = async () => {
    await muster.runs.cancel(run.id)
    await refresh()
  }
  return (
    <>
      {rights.write && run.status === 'failed' && (
        <Button
          kind="primary"
          icon={RotateCcw}
          isBusy={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry
        </Button>
      )}
      {rights.write && !hasEnded(run) && (
        <ConfirmButton
          label="Cancel"
          icon={CircleStop}
          title="Cancel this run?"
          action="Cancel run"
          wayOut="Let it go on"
          run={cancel}
        >
          It ends where it is. A call that is under way may still arrive; a retry can go on later.
        </ConfirmButton>
      )}
      {rights.write && isIdle(run) && hasWorkflow && <ForkButton run={run} />}
      {rights.write && hasEnded(run) && hasWorkflow && (
        <Button icon={Play} isBusy={again.isPending} onClick={() => again.mutate()}>
          Run again
        </Button>
      )}
      <CopyAs run={run} workflow={name} />
      {again.error !== null && <Failure error={again.error} />}
      {retry.error !== null && <Failure error={retry.error} />}
    </>
  )
}

/** Status, times by cause, tokens and cost. */
export function RunFigures({ run, feed }: { run: RunWithSteps; feed: Feed }): ReactNode {
  const now = useRunClock(run)
  const waits = useMemo(() => waitsOf(run, feed.events), [run, feed.events])
  const { queued, working, waiting } = timesOf(run, waits, now)
  const behind = run.triggered_by?.on_behalf_of ?? []
  return (
    <dl className="panel mb-6 flex flex-wrap gap-x-8 gap-y-3 px-4 py-3">
      <Figure name="Status">
        {stateOf(run) === 'warned' ? (
          <Dot tone="warn">Completed with warnings</Dot>
        ) : (
          <RunStatus run={run} />
        )}
        {feed.state === 'broken' && !hasEnded(run) && (
          <span className="ml-2 text-sm text-warn">not live: connecting again…</span>
        )}
        {feed.state === 'elsewhere' && !hasEnded(run) && (
          <span className="ml-2 text-sm text-ink-soft">
            text as it is written is in another tab with a run
          </span>
        )}
      </Figure>
      <Figure name="Triggered">
        <Ago at={run.created_at} />
        {run.triggered_by !== null && (
          <span className="font-normal text-ink-soft">
            {' '}
            by {showInvisible(run.triggered_by.name)}
            {behind.length > 0 && ` (${behind.map(({ name }) => showInvisible(name)).join(', ')})`}
          </span>
        )}
      </Figure>
      {queued > 1_000 && <Figure name="Time queued">{formatSpan(queued)}</Figure>}
      <Figure name="Run time">{formatSpan(working)}</Figure>
      {waiting > 0 && <Figure name="Waiting for people">{formatSpan(waiting)}</Figure>}
      <Figure name="Tokens in / out">
        {formatCount(run.tokens_in)} / {formatCount(run.tokens_out)}
      </Figure>
      <Figure name="Cost">{formatCost(run)}</Figure>
    </dl>
  )
}

function Figure({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt className="text-xs text-ink-faint">{name}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  )
}
