import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WaitingRun } from '../../../sdk/generated.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { usePageTitle } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago, Countdown } from '../../ui/text/time.tsx'
import { wordsOf } from '../../parts/inbox/action-words.ts'

/** Who asks for what, since when and until when. */
export function CaseHead({ waiting, isOver }: { waiting: WaitingRun; isOver: boolean }): ReactNode {
  const { pending, workflow_name: name, workflow_id: workflowId } = waiting
  const title = toLine(wordsOf(pending).title, 300)
  usePageTitle(`${title} · Inbox`)
  return (
    <header>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-ink-soft">
        <Badge tone={pending.kind === 'input' ? 'accent' : 'warn'}>
          {pending.kind === 'input' ? 'Question' : 'Approval'}
        </Badge>
        <Link
          to="/workflows/$workflowId"
          params={{ workflowId }}
          className="min-w-0 truncate hover:underline"
        >
          {name}
        </Link>
        <span aria-hidden="true">·</span>
        <span>
          asked by {pending.role} <Ago at={pending.created_at} />
        </span>
        {pending.expires_at !== null && !isOver && (
          <>
            <span aria-hidden="true">·</span>
            <Countdown until={pending.expires_at} />
          </>
        )}
      </div>
      <h1 className="mt-1.5 text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
    </header>
  )
}
