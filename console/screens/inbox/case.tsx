import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { MusterError } from '../../../sdk/errors.ts'
import type { RunWithSteps, ToolCall, WaitingRun } from '../../../sdk/generated.ts'
import type { RunAnswer } from '../../../sdk/runs.ts'
import { useRun } from '../../data/runs/one.ts'
import { Markdown } from '../../ui/text/markdown.tsx'
import { ActionView } from '../../parts/inbox/action-view.tsx'
import { AnswerBar } from './answer.tsx'
import { Approvals } from './approvals.tsx'
import { CaseContext } from './case-context.tsx'
import { CaseHead } from './case-head.tsx'
import { CaseNotes } from './case-notes.tsx'
import { CostView } from './decide-cost.tsx'
import { ChangedTool } from './changed-tool.tsx'
import { closedWords } from './closed.tsx'
import { Outcome } from './outcome.tsx'
import { useCasePage } from './use-case-page.ts'
import { useRespond } from './use-respond.ts'

interface Props {
  waiting: WaitingRun
  /**
   * Whether the list still has it; it may have been answered elsewhere, or have expired. Undefined
   * if only its run can tell.
   */
  isListed: boolean | undefined
  next: (() => void) | undefined
}

/** Error codes that say that the request no longer waits. */
const overCodes = ['run_not_waiting', 'pending_mismatch']

/** One request: the question or action, its context, and the answer. */
export function Case({ waiting, isListed, next }: Props): ReactNode {
  const { pending, run_id: runId } = waiting
  const run = useRun(runId)
  const call = findCall(run.data, pending.call_id)
  const answer = useRespond(waiting, (answer: RunAnswer) => ({ ...answer, pending_id: pending.id }))
  const wasFirst = answer.error instanceof MusterError && overCodes.includes(answer.error.code)
  const isDecided = answer.data !== undefined && answer.data.status !== 'waiting_input'
  const waits = isListed ?? (run.data === undefined || run.data.pending?.id === pending.id)
  const isOver = isDecided || wasFirst || !waits
  // After the decision: the arguments that were sent, which the approver may have edited.
  const sent = (isDecided ? answer.variables?.tool_input : undefined) ?? call?.input
  const hasEdit = answer.variables?.tool_input !== undefined
  const shown = (isOver ? sent : undefined) ?? pending.tool_input ?? {}
  const top = useCasePage(runId, pending.id, isListed)
  return (
    <article
      aria-label={`Case: ${waiting.workflow_name}`}
      ref={top}
      tabIndex={-1}
      className="grid scroll-mt-20 grid-cols-1 gap-5"
    >
      <CaseHead waiting={waiting} isOver={isOver} />
      {pending.cost !== undefined && <CostView cost={pending.cost} />}
      {pending.kind === 'input' ? (
        <section aria-label="Question" className="panel px-4 py-4 text-lg">
          <Markdown text={pending.prompt} limit={20_000} />
        </section>
      ) : (
        pending.kind === 'approval' && (
          <section aria-label="Action" className="grid gap-3">
            {call?.status === 'unknown' && !isOver && <Unknown call={call} />}
            {pending.tool_changed !== undefined && <ChangedTool now={pending.tool_changed} />}
            <ActionView tool={pending.tool ?? ''} value={shown} />
          </section>
        )
      )}
      {isOver && (
        <Outcome
          waiting={waiting}
          run={run.data}
          call={call}
          mine={isDecided ? (hasEdit ? 'edit' : answer.variables?.action) : undefined}
          next={next}
        />
      )}
      {!isOver && <Approvals pending={pending} />}
      <AnswerBar
        key={pending.id}
        waiting={waiting}
        isRepeat={call?.status === 'unknown'}
        isBusy={answer.isPending}
        error={isOver ? null : answer.error}
        closed={isOver ? closedWords : undefined}
        respond={answer.mutate}
        region={top}
      />
      <CaseNotes pendingId={pending.id} isOver={isOver} />
      <CaseContext waiting={waiting} query={run} />
      <p className="text-sm text-ink-faint">
        <Link to="/runs/$runId" params={{ runId }} className="link">
          View run
        </Link>
      </p>
    </article>
  )
}

export function Unknown({ call: { started_at: startedAt } }: { call: ToolCall }): ReactNode {
  return (
    <div role="note" className="rounded-md bg-warn-soft px-4 py-3 text-warn">
      <p className="font-medium">This may already have been done.</p>
      <p className="mt-0.5 text-sm">
        {startedAt === null
          ? 'This database is a restored copy or a promoted standby, which may have lost that.'
          : 'The connection broke before an answer came.'}{' '}
        Look where it would have arrived: if it is there, go on without; if not, do it again.
      </p>
    </div>
  )
}

export function findCall(
  run: RunWithSteps | undefined,
  callId: string | undefined,
): ToolCall | undefined {
  return run?.steps.flatMap(({ tool_calls }) => tool_calls).find(({ id }) => id === callId)
}
