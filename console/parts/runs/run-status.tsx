import type { ReactNode } from 'react'
import { Dot } from '../../ui/status.tsx'
import { runStates, stateOf, type Outcome } from '../../data/runs/states.ts'

export function RunStatus({ run }: { run: Outcome }): ReactNode {
  const { tone, word, isLive } = runStates[stateOf(run)]
  return (
    <Dot tone={tone} isLive={isLive}>
      {word}
    </Dot>
  )
}
