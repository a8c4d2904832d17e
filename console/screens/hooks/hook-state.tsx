import type { ReactNode } from 'react'
import type { Hook, HookDelivery } from '../../../sdk/generated.ts'
import { Dot } from '../../ui/status.tsx'
import type { Tone } from '../../ui/text/tone.ts'

export function HookState({ hook: { status, has_secret, scheme } }: { hook: Hook }): ReactNode {
  if (status === 'paused') return <Dot tone="neutral">Paused</Dot>
  if (!has_secret && scheme !== 'none') return <Dot tone="warn">No secret yet</Dot>
  return <Dot tone="ok">Active</Dot>
}

export const deliveryStates: Record<HookDelivery['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'live', word: 'Pending' },
  started: { tone: 'ok', word: 'Started' },
  filtered: { tone: 'neutral', word: 'Filtered' },
  failed: { tone: 'bad', word: 'Failed' },
  answered: { tone: 'neutral', word: 'Answered' },
  refused: { tone: 'warn', word: 'Refused' },
}
