import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WaitingRun } from '../../../sdk/generated.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { Ago, Countdown } from '../../ui/text/time.tsx'
import { wordsOf } from './action-words.ts'
import { mostCases } from '../../data/inbox.ts'

/** Oldest first: who waited longest comes first. */
export function CaseList({ cases }: { cases: WaitingRun[] }): ReactNode {
  return (
    <>
      <ul aria-label="Cases" className="divide-y border-y lg:border-t-0">
        {cases.map((waiting) => (
          <li key={waiting.pending.id}>
            <CaseLink waiting={waiting} />
          </li>
        ))}
      </ul>
      {cases.length >= mostCases && (
        <p className="px-4 py-3 text-sm text-ink-faint">The {mostCases} oldest are shown.</p>
      )}
    </>
  )
}

function CaseLink({ waiting }: { waiting: WaitingRun }): ReactNode {
  const { pending, workflow_name: name } = waiting
  const { title, detail } = wordsOf(pending)
  return (
    <Link
      to="/inbox/$pendingId"
      params={{ pendingId: pending.id }}
      className="block px-4 py-3 hover:bg-hover aria-[current=page]:bg-accent-soft aria-[current=page]:shadow-[inset_3px_0_0_var(--color-accent)]"
    >
      <span className="flex items-baseline justify-between gap-3">
        <span className="truncate font-medium">{toLine(title, 200)}</span>
        <span className="shrink-0 text-xs text-ink-faint">
          <Ago at={pending.created_at} />
        </span>
      </span>
      <span className="mt-0.5 line-clamp-2 text-sm text-ink-soft">{toLine(detail, 300)}</span>
      <span className="mt-0.5 block truncate text-xs text-ink-faint">{name}</span>
      {pending.approvals !== undefined && pending.approvals.required > 1 && (
        <span className="mt-0.5 block text-xs text-ink-faint">
          {pending.approvals.given} of {pending.approvals.required} approvals
        </span>
      )}
      {pending.expires_at !== null && (
        <span className="mt-0.5 block text-xs text-ink-faint">
          <Countdown until={pending.expires_at} />
        </span>
      )}
    </Link>
  )
}
