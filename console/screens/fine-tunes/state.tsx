import type { ReactNode } from 'react'
import type { FineTune } from '../../../sdk/generated.ts'
import { Dot } from '../../ui/status.tsx'
import type { Tone } from '../../ui/text/tone.ts'

const states: Record<FineTune['status'], { tone: Tone; word: string; isLive: boolean }> = {
  queued: { tone: 'neutral', word: 'Queued', isLive: true },
  validating: { tone: 'live', word: 'Checking the examples', isLive: true },
  running: { tone: 'live', word: 'Training', isLive: true },
  succeeded: { tone: 'ok', word: 'Succeeded', isLive: false },
  failed: { tone: 'bad', word: 'Failed', isLive: false },
  cancelled: { tone: 'neutral', word: 'Cancelled', isLive: false },
}

export function isActive({ status }: FineTune): boolean {
  return states[status].isLive
}

export function FineTuneState({ fineTune }: { fineTune: FineTune }): ReactNode {
  const { tone, word, isLive } = states[fineTune.status]
  return (
    <Dot tone={tone} isLive={isLive}>
      {word}
    </Dot>
  )
}
