import { Link } from '@tanstack/react-router'
import { ArrowRight, CircleCheck, CircleSlash } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import type { RunWithSteps, ToolCall, WaitingRun } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Ago } from '../../ui/text/time.tsx'

interface Props {
  waiting: WaitingRun
  run: RunWithSteps | undefined
  call: ToolCall | undefined
  /** The answer from this page, if it was first. */
  mine: keyof typeof mineWords | undefined
  next: (() => void) | undefined
}

const mineWords = {
  approve: 'You approved this. The run continues.',
  edit: 'You approved this with changes. The run continues.',
  reject: 'You rejected this. The agent is told and continues.',
  input: 'Answer sent. The agent continues.',
} as const

const decisions: Record<NonNullable<ToolCall['decision']>, string> = {
  approved: 'approved',
  edited: 'approved with changes',
  rejected: 'rejected',
  answered: 'answered',
  expired: 'No one answered in time.',
  refused: 'Refused by policy.',
}

/** The outcome of the request, and who decided it. */
export function Outcome({ waiting, run, call, mine, next }: Props): ReactNode {
  const isDone = mine !== undefined && mine !== 'reject'
  const Icon = isDone ? CircleCheck : CircleSlash
  const words = useRef<HTMLParagraphElement>(null)
  const isMine = mine !== undefined
  useEffect(() => {
    // The focus has it read, once. A decision of somebody else is announced.
    if (isMine) words.current?.focus()
  }, [isMine])
  return (
    <div
      role={isMine ? undefined : 'status'}
      className={`flex flex-wrap items-center gap-3 rounded-md px-4 py-3 ${isDone ? 'bg-ok-soft text-ok' : 'bg-hover text-ink'}`}
    >
      <Icon size={18} className="shrink-0" aria-hidden="true" />
      <p ref={words} tabIndex={-1} className="min-w-48 flex-1 outline-none">
        {mine === undefined ? (
          <Elsewhere waiting={waiting} run={run} call={call} />
        ) : (
          wordsOfMine(waiting, mine)
        )}
      </p>
      <WaysOn runId={waiting.run_id} next={next} />
    </div>
  )
}

/** Links from a closed case. */
export function WaysOn({
  runId,
  next,
}: {
  runId: string
  next: (() => void) | undefined
}): ReactNode {
  return (
    <>
      <Link to="/runs/$runId" params={{ runId }} className={buttonLook()}>
        View run
      </Link>
      {next !== undefined && (
        <Button kind="primary" icon={ArrowRight} shortcut="j" onClick={next}>
          Next case
        </Button>
      )}
    </>
  )
}

function wordsOfMine({ pending: { kind } }: WaitingRun, mine: keyof typeof mineWords): string {
  return kind === 'budget' && mine === 'reject'
    ? 'You rejected this. The run has ended.'
    : mineWords[mine]
}

/** Why a request is closed without a person's decision. */
export function whyOver(run: RunWithSteps | undefined): string {
  if (run?.error_code === 'cancelled') return 'The run was cancelled. No answer is needed.'
  if (run?.error_code === 'wait_expired') return 'No one answered in time. The run has ended.'
  if (run?.error_code === 'budget_exceeded') return `The run has ended. ${run.error}.`
  return 'No answer is needed any more.'
}

function Elsewhere({ waiting, run, call }: Pick<Props, 'waiting' | 'run' | 'call'>): ReactNode {
  const { identity } = useSession()
  if (call?.decision === 'expired' || call?.decision === 'refused') return decisions[call.decision]
  if (call?.decision == null || call.decider === null) {
    if (run?.pending != null && run.pending.call_id === waiting.pending.call_id) {
      return (
        <>
          {waiting.pending.kind === 'budget'
            ? 'The run asks for more again.'
            : 'The action was changed and needs approval again.'}{' '}
          <Link to="/inbox/$pendingId" params={{ pendingId: run.pending.id }} className="link">
            View current request
          </Link>
        </>
      )
    }
    return whyOver(run)
  }
  const { id, name } = call.decider
  return (
    <>
      Already answered by {id === identity.id ? 'you' : name}: {decisions[call.decision]}
      {call.decided_at !== null && (
        <>
          {' '}
          <Ago at={call.decided_at} />
        </>
      )}
      .
    </>
  )
}
