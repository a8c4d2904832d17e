import type { ReactNode } from 'react'
import type { Tone } from './text/tone.ts'

const looks: Record<Tone, string> = {
  neutral: 'bg-hover text-ink-soft',
  live: 'bg-live-soft text-live',
  warn: 'bg-warn-soft text-warn',
  ok: 'bg-ok-soft text-ok',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent',
}

const dots: Record<Tone, string> = {
  neutral: 'bg-ink-faint',
  live: 'bg-live',
  warn: 'bg-warn',
  ok: 'bg-ok',
  bad: 'bg-bad',
  accent: 'bg-accent',
}

interface Props {
  tone: Tone
  children: ReactNode
}

export function Badge({ tone, children }: Props): ReactNode {
  return (
    <span
      className={`inline-block max-w-full truncate rounded-sm px-1.5 py-px align-bottom text-xs font-medium ${looks[tone]}`}
    >
      {children}
    </span>
  )
}

/** A dot and a word; the dot pulses while something is in progress. */
export function Dot({ tone, isLive = false, children }: Props & { isLive?: boolean }): ReactNode {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span
        aria-hidden="true"
        className={`drawn size-2 shrink-0 rounded-full ${dots[tone]} ${isLive ? 'animate-breathe' : ''}`}
      />
      {children}
    </span>
  )
}
