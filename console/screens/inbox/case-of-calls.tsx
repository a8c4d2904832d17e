import { Link, useParams } from '@tanstack/react-router'
import { Check, LoaderCircle, X } from 'lucide-react'
import { useState, type ReactNode, type RefObject } from 'react'
import type { WaitingRun } from '../../../sdk/generated.ts'
import type { RunAnswer } from '../../../sdk/runs.ts'
import { caseIdOf, isOfCase, requestsOf } from '../../data/inbox.ts'
import { useRun } from '../../data/runs/one.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { forgetDraft } from '../../ui/form/draft.ts'
import { useKeys } from '../../ui/keys.ts'
import { bar } from './answer-bar.ts'
import { CallOfCase } from './call-of-case.tsx'
import { CaseContext } from './case-context.tsx'
import { CaseHead } from './case-head.tsx'
import { CaseNotes } from './case-notes.tsx'
import { findCall } from './case.tsx'
import { Reject } from './reject.tsx'
import { WaysOn, whyOver } from './outcome.tsx'
import { useCasePage } from './use-case-page.ts'
import { useRespond } from './use-respond.ts'
import { hindranceOf } from './who-may.ts'

interface Props {
  waiting: WaitingRun
  /** Its state when it was opened: decided calls stay on the page. */
  opened: WaitingRun
  /** Whether the list still has it; undefined if the list is incomplete. */
  isListed: boolean | undefined
  next: (() => void) | undefined
}

/** Several calls of one turn, decided one by one or together. */
export function CaseOfCalls({ waiting, opened, isListed, next }: Props): ReactNode {
  const { run_id: runId } = waiting
  const run = useRun(runId)
  const { status, pending } = run.data ?? {}
  const waits = isListed ?? (pending == null || caseIdOf(pending) === caseIdOf(waiting.pending))
  const now = waits ? requestsOf(waiting) : []
  const byCall = new Map(
    [...requestsOf(opened), ...now].map((one) => [one.pending.call_id, one] as const),
  )
  const calls = [...byCall.values()].map((one) => {
    const call = findCall(run.data, one.pending.call_id)
    const isOpen = now.includes(one)
    // The run is making the approved calls, and will then wait for the rest again.
    const isHeld = !isOpen && status !== 'failed' && call?.output === null && call.decision === null
    return { waiting: one, call, isOpen, isHeld }
  })
  const { pendingId = '' } = useParams({ strict: false })
  const other =
    now.length === 0 && pending != null && !isOfCase({ ...waiting, pending }, pendingId)
      ? caseIdOf(pending)
      : undefined
  const open = calls.filter(({ isOpen }) => isOpen)
  const isHeld = calls.some((one) => one.isHeld)
  const isOver = run.data !== undefined && open.length === 0 && !isHeld
  const [current] = open
  const top = useCasePage(runId, caseIdOf(opened.pending), isListed)
  return (
    <article
      aria-label={`Case: ${waiting.workflow_name}`}
      ref={top}
      tabIndex={-1}
      className="grid scroll-mt-20 grid-cols-1 gap-5"
    >
      <CaseHead waiting={opened} isOver={isOver} />
      <ol aria-label="Calls" className="grid gap-4">
        {calls.map((one) => (
          <li key={one.waiting.pending.call_id}>
            <CallOfCase {...one} isCurrent={one === current} wholeCase={top} />
          </li>
        ))}
      </ol>
      {other !== undefined && (
        <p role="status" className="rounded-md bg-hover px-4 py-3">
          The run asks for something new.{' '}
          <Link to="/inbox/$pendingId" params={{ pendingId: other }} className="link">
            View current request
          </Link>
        </p>
      )}
      {isHeld && other === undefined && (
        <p role="status" className="flex items-center gap-2 text-ink-soft">
          <LoaderCircle size={16} className="animate-spin" aria-hidden="true" />
          Running the approved actions. Then you can decide the rest.
        </p>
      )}
      {other !== undefined ? null : isOver ? (
        <Over isDecided={calls.some(({ call }) => call?.decision != null)} {...{ runId, next }}>
          {whyOver(run.data)}
        </Over>
      ) : (
        <DecideAll waiting={waiting} calls={open} region={top} />
      )}
      <CaseNotes pendingId={caseIdOf(opened.pending)} isOver={isOver} />
      <CaseContext waiting={opened} query={run} />
      <p className="text-sm text-ink-faint">
        <Link to="/runs/$runId" params={{ runId }} className="link">
          View run
        </Link>
      </p>
    </article>
  )
}

interface OverProps {
  isDecided: boolean
  runId: string
  next: (() => void) | undefined
  /** Why a request is closed without a person's decision. */
  children: string
}

function Over({ isDecided, runId, next, children }: OverProps): ReactNode {
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 rounded-md bg-hover px-4 py-3">
      <p className="min-w-48 flex-1">{isDecided ? 'All requests are decided.' : children}</p>
      <WaysOn runId={runId} next={next} />
    </div>
  )
}

interface DecideAllProps {
  waiting: WaitingRun
  calls: Omit<Parameters<typeof CallOfCase>[0], 'isCurrent' | 'wholeCase'>[]
  region: RefObject<HTMLElement | null>
}

/**
 * Buttons for all calls, at the bottom of the case; calls that may have been made already are
 * decided separately.
 */
function DecideAll({ waiting, calls, region }: DecideAllProps): ReactNode {
  const { rights, identity } = useSession()
  const [isRejecting, setRejecting] = useState(false)
  const actions = calls
    .filter(({ waiting: { pending }, call }) => {
      const { answer } = hindranceOf(pending, identity)
      return pending.kind === 'approval' && call?.status !== 'unknown' && answer === undefined
    })
    .map((one) => one.waiting.pending)
  const approvable = actions.filter((pending) => {
    const { approve, again } = hindranceOf(pending, identity)
    return approve === undefined && again === undefined
  })
  const respond = useRespond(waiting, (answer: RunAnswer) => {
    const chosen = answer.action === 'approve' ? approvable : actions
    return {
      decisions: chosen.map(({ id, call_id = '' }) => ({ ...answer, call_id, pending_id: id })),
    }
  })
  const canApprove = rights.answer && approvable.length > 1
  const approveAll = () => respond.mutate({ action: 'approve' })
  const canPress = canApprove && !isRejecting && !respond.isPending
  useKeys(
    { A: canPress ? { run: approveAll, verb: `approve all ${approvable.length}` } : undefined },
    { region },
  )
  if (!rights.answer || actions.length < 2) return null
  const { isPending: isBusy, error } = respond
  if (isRejecting) {
    const id = caseIdOf(waiting.pending)
    return (
      <Reject
        {...{ id, isBusy, error }}
        respond={respond.mutate}
        cancel={() => {
          forgetDraft(`reject.${id}`)
          setRejecting(false)
        }}
        leave={() => setRejecting(false)}
        className={bar}
        label={`Reject all ${actions.length}`}
      />
    )
  }
  return (
    <div className={`${bar} grid gap-2`}>
      {error !== null && <Failure error={error} />}
      <div className="flex flex-wrap gap-2 *:flex-1 sm:*:flex-none">
        {canApprove && (
          <Button kind="primary" icon={Check} shortcut="A" isBusy={isBusy} onClick={approveAll}>
            Approve all {approvable.length}
          </Button>
        )}
        <Button icon={X} disabled={isBusy} onClick={() => setRejecting(true)}>
          Reject all {actions.length}
        </Button>
      </div>
    </div>
  )
}
