import type { ReactNode } from 'react'
import type { Firing, Schedule } from '../../../sdk/generated.ts'
import { Dot } from '../../ui/status.tsx'
import type { Tone } from '../../ui/text/tone.ts'

const states: Record<Schedule['status'], { tone: Tone; word: string }> = {
  active: { tone: 'ok', word: 'Active' },
  paused: { tone: 'neutral', word: 'Paused' },
  ended: { tone: 'neutral', word: 'Ended' },
}

export function ScheduleState({ schedule }: { schedule: Schedule }): ReactNode {
  const { tone, word } = states[schedule.status]
  if (schedule.paused_reason !== null) return <Dot tone="bad">Paused automatically</Dot>
  return <Dot tone={tone}>{word}</Dot>
}

export const firingStates: Record<Firing['status'], { tone: Tone; word: string }> = {
  due: { tone: 'live', word: 'Waiting' },
  fired: { tone: 'ok', word: 'Fired' },
  skipped: { tone: 'warn', word: 'Skipped' },
  missed: { tone: 'bad', word: 'Missed' },
}
