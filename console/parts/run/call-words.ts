import type { ToolCall } from '../../../sdk/generated.ts'
import type { Tone } from '../../ui/text/tone.ts'

/** The label of a call's state. */
export function callState(call: ToolCall): { tone: Tone; word: string; isLive?: boolean } {
  switch (call.status) {
    case 'proposed':
      return { tone: 'warn', word: 'waiting for approval', isLive: true }
    case 'approved':
    case 'executing':
      return { tone: 'live', word: 'running', isLive: true }
    case 'rejected':
      return { tone: 'neutral', word: rejectedWords[call.decision ?? 'rejected'] ?? 'not done' }
    case 'succeeded':
      return { tone: 'ok', word: 'done' }
    case 'failed':
      return { tone: 'bad', word: 'failed' }
    case 'unknown':
      return { tone: 'warn', word: 'outcome unknown' }
  }
}

const rejectedWords: Partial<Record<NonNullable<ToolCall['decision']>, string>> = {
  rejected: 'rejected',
  expired: 'no one answered',
  refused: 'refused by policy',
}

/** The label of a person's decision about a call. */
export function decisionWord({ decision }: ToolCall): string | undefined {
  if (decision === 'approved') return 'Approved'
  if (decision === 'edited') return 'Approved with changes'
  if (decision === 'rejected') return 'Rejected'
  if (decision === 'answered') return 'Answered'
}
