import { CircleCheck, CircleSlash } from 'lucide-react'
import { useRef, type ReactNode, type RefObject } from 'react'
import type { ToolCall, WaitingRun } from '../../../sdk/generated.ts'
import type { RunAnswer } from '../../../sdk/runs.ts'
import { ActionView } from '../../parts/inbox/action-view.tsx'
import { wordsOf } from '../../parts/inbox/action-words.ts'
import { useSession } from '../../session/session.tsx'
import { toLine } from '../../ui/text/invisible.ts'
import { Markdown } from '../../ui/text/markdown.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { AnswerBar } from './answer.tsx'
import { Approvals } from './approvals.tsx'
import { ChangedTool } from './changed-tool.tsx'
import { closedWords } from './closed.tsx'
import { Unknown } from './case.tsx'
import { useRespond } from './use-respond.ts'

interface Props {
  /** The request of this call only. */
  waiting: WaitingRun
  call: ToolCall | undefined
  isOpen: boolean
  /** The call waits again once the approved calls have been made. */
  isHeld: boolean
  /** Keyboard shortcuts apply to this call unless the focus is in another one. */
  isCurrent: boolean
  wholeCase: RefObject<HTMLElement | null>
}

/** One call of a case: its action with the buttons that decide it, or its decision. */
export function CallOfCase({
  waiting,
  call,
  isOpen,
  isHeld,
  isCurrent,
  wholeCase,
}: Props): ReactNode {
  const section = useRef<HTMLElement>(null)
  const { pending } = waiting
  const answer = useRespond(waiting, (given: RunAnswer) => ({ ...given, pending_id: pending.id }))
  const title = toLine(wordsOf(pending).title, 300)
  const isRepeat = call?.status === 'unknown'
  const value = (isOpen ? pending.tool_input : call?.input) ?? pending.tool_input ?? {}
  return (
    <section
      aria-label={title}
      ref={section}
      tabIndex={-1}
      className={`panel overflow-hidden ${isCurrent ? 'border-accent' : ''}`}
    >
      <h2 className="px-4 pt-3 text-base font-semibold wrap-anywhere">{title}</h2>
      <div className="grid gap-3 px-4 py-3">
        {pending.kind === 'input' ? (
          <Markdown text={pending.prompt} limit={20_000} />
        ) : (
          <>
            {isRepeat && isOpen && <Unknown call={call} />}
            {pending.tool_changed !== undefined && <ChangedTool now={pending.tool_changed} />}
            <ActionView tool={pending.tool ?? ''} value={value} />
          </>
        )}
        {isOpen && <Approvals pending={pending} />}
      </div>
      {!isOpen && !isHeld && call !== undefined && <Decided call={call} />}
      <AnswerBar
        key={pending.id}
        waiting={waiting}
        isRepeat={isRepeat}
        isBusy={answer.isPending}
        error={isOpen ? answer.error : null}
        closed={isOpen ? undefined : isHeld ? heldWords : closedWords}
        respond={answer.mutate}
        region={isCurrent ? wholeCase : section}
        place={{ isCurrent }}
      />
    </section>
  )
}

const heldWords = 'The approved actions run first.'

const decided: Record<NonNullable<ToolCall['decision']>, string> = {
  approved: 'approved this',
  edited: 'approved this with changes',
  rejected: 'rejected this',
  answered: 'answered this',
  expired: 'No one answered in time.',
  refused: 'Refused by policy.',
}

function Decided({ call: { decision, decider, decided_at: at } }: { call: ToolCall }): ReactNode {
  const { identity } = useSession()
  if (decision === null) return null
  const isDone = decision === 'approved' || decision === 'edited' || decision === 'answered'
  const Icon = isDone ? CircleCheck : CircleSlash
  return (
    <p
      className={`flex items-center gap-2 border-t px-4 py-2.5 text-sm ${isDone ? 'text-ok' : 'text-ink-soft'}`}
    >
      <Icon size={16} className="shrink-0" aria-hidden="true" />
      <span>
        {decider === null ? (
          decided[decision]
        ) : (
          <>
            {decider.id === identity.id ? 'You' : decider.name} {decided[decision]}
            {at !== null && (
              <>
                {' '}
                <Ago at={at} />
              </>
            )}
          </>
        )}
      </span>
    </p>
  )
}
