import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WaitingRun } from '../../../sdk/generated.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { Ago, Countdown } from '../../ui/text/time.tsx'
import { wordsOf } from './action-words.ts'
import { caseIdOf } from '../../data/inbox.ts'
import { readInboxFilter } from '../../data/inbox-filter.ts'

/** Oldest first. */
export function CaseList({
  cases,
  opened,
}: {
  cases: WaitingRun[]
  /** Called with the id of the case that is opened. */
  opened?: ((caseId: string) => void) | undefined
}): ReactNode {
  const alike = new Map<string, number>()
  for (const one of cases) alike.set(wordsKey(one), (alike.get(wordsKey(one)) ?? 0) + 1)
  return (
    <ul aria-label="Cases" className="divide-y border-y lg:border-t-0">
      {cases.map((waiting) => (
        <li key={caseIdOf(waiting.pending)}>
          <CaseLink
            waiting={waiting}
            isAlike={(alike.get(wordsKey(waiting)) ?? 0) > 1}
            opened={opened}
          />
        </li>
      ))}
    </ul>
  )
}

/** Rows with the same label also show the input of their runs. */
function wordsKey({ pending }: WaitingRun): string {
  const { title, detail } = wordsOf(pending)
  return JSON.stringify([title, detail])
}

interface LinkProps {
  waiting: WaitingRun
  isAlike: boolean
  opened: ((caseId: string) => void) | undefined
}

function CaseLink({ waiting, isAlike, opened }: LinkProps): ReactNode {
  const { pending, workflow_name: name, input_preview: input } = waiting
  const { title, detail } = wordsOf(pending)
  // Tells cases with the same words apart.
  const shown = (isAlike || detail === '') && input !== '' ? `Input: ${toLine(input, 120)}` : ''
  return (
    <Link
      to="/inbox/$pendingId"
      params={{ pendingId: caseIdOf(pending) }}
      search={readInboxFilter}
      onClick={() => opened?.(caseIdOf(pending))}
      className="block px-4 py-3 hover:bg-hover aria-[current=page]:bg-accent-soft aria-[current=page]:shadow-[inset_3px_0_0_var(--color-accent)]"
    >
      <span className="flex items-baseline justify-between gap-3">
        <span className="truncate font-medium">{toLine(title, 200)}</span>
        <span className="shrink-0 text-xs text-ink-faint">
          <Ago at={pending.created_at} />
        </span>
      </span>
      <span dir="auto" className="mt-0.5 block truncate text-sm text-ink-soft">
        {[toLine(detail, 300), shown].filter((text) => text !== '').join(' · ')}
      </span>
      <span className="mt-0.5 flex gap-x-1.5 text-xs whitespace-nowrap text-ink-faint">
        <span className="min-w-0 truncate">{name}</span>
        {pending.calls === undefined && (pending.approvals?.required ?? 1) > 1 && (
          <span>
            · {pending.approvals?.given} of {pending.approvals?.required} approvals
          </span>
        )}
        {pending.expires_at !== null && (
          <span>
            · <Countdown until={pending.expires_at} />
          </span>
        )}
      </span>
    </Link>
  )
}
