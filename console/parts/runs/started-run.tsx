import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { runStates, stateOfStarted, type StartedRun } from '../../data/runs/states.ts'
import { Dot } from '../../ui/status.tsx'

/** A link to the run that something started, with its status; nothing without a run. */
export function StartedRunLink({ started }: { started: StartedRun }): ReactNode {
  const { run_id: runId } = started
  if (runId === null) return null
  const state = stateOfStarted(started)
  const shown = state && runStates[state]
  return (
    <Link to="/runs/$runId" params={{ runId }} className="link">
      {shown === undefined ? (
        'View run'
      ) : (
        <Dot tone={shown.tone} isLive={shown.isLive && state !== 'queued'}>
          Run: {shown.word}
        </Dot>
      )}
    </Link>
  )
}
