import type { ReactNode } from 'react'
import type { Run } from '../../../sdk/generated.ts'
import { Dot } from '../../ui/status.tsx'
import { runStates, stateOf } from '../../data/run-states.ts'

export function RunStatus({ run }: { run: Pick<Run, 'status' | 'error_code'> }): ReactNode {
  const { tone, word, isLive } = runStates[stateOf(run)]
  return (
    <Dot tone={tone} isLive={isLive}>
      {word}
    </Dot>
  )
}
