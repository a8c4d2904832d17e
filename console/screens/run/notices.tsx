import { Link } from '@tanstack/react-router'
import { CircleAlert, Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { useNow } from '../../ui/text/clock.ts'
import { formatExact, formatSpan } from '../../ui/text/format.ts'
import { Text } from '../../ui/text/text.tsx'
import { Ago, Countdown } from '../../ui/text/time.tsx'
import { caseIdOf } from '../../data/inbox.ts'
import { wordsOf } from '../../parts/inbox/action-words.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { explainFailure } from './failure-words.ts'

/** A failure in plain words, what to do, and the exact message. */
export function Failed({ run }: { run: RunWithSteps }): ReactNode {
  if (run.status !== 'failed') return null
  const { what, next } = explainFailure(run)
  const isCancelled = run.error_code === 'cancelled'
  return (
    <section
      aria-label={isCancelled ? 'Cancelled' : 'Why it failed'}
      className={`mb-8 flex gap-3 rounded-lg px-4 py-3 ${isCancelled ? 'bg-hover' : 'bg-bad-soft'}`}
    >
      <CircleAlert
        size={18}
        className={`mt-0.5 shrink-0 ${isCancelled ? 'text-ink-soft' : 'text-bad'}`}
        aria-hidden="true"
      />
      <div className="min-w-0">
        <p className={`font-medium ${isCancelled ? '' : 'text-bad'}`}>{what}</p>
        <p className="mt-0.5 text-ink-soft">
          {next} <PausedAgent run={run} />
        </p>
        <FailingSince run={run} />
        {run.error !== null && !isCancelled && (
          <div className="mt-2 text-ink">
            <Text text={run.error} mono limit={2_000} />
          </div>
        )}
        {!isCancelled && <p className="mt-1 font-mono text-xs text-ink-soft">{run.error_code}</p>}
      </div>
    </section>
  )
}

/** The version with which the failures began, with a link to its changes. */
function FailingSince({ run }: { run: RunWithSteps }): ReactNode {
  const { failing_since: since, workflow_id: workflowId } = run
  if (since === null) return null
  const { version, last_worked_version: worked, last_worked_run_id: runId } = since
  return (
    <p className="mt-1">
      The workflow fails since version {version};{' '}
      <Link to="/runs/$runId" params={{ runId }} className="link">
        the last run that worked
      </Link>{' '}
      had version {worked}.{' '}
      <Link
        to="/workflows/$workflowId/versions"
        params={{ workflowId }}
        search={{ version, with: worked }}
        className="link"
      >
        View what changed
      </Link>
    </p>
  )
}

/** A link to the agent that the message names. */
function PausedAgent({ run: { error_code: code, error } }: { run: RunWithSteps }): ReactNode {
  const [agentId] = /agt_[0-9a-z]{26}/.exec(error ?? '') ?? []
  if (code !== 'agent_paused' || agentId === undefined) return null
  return (
    <Link to="/agents/$agentId" params={{ agentId }} className="link">
      Open the agent
    </Link>
  )
}

/** Warnings of a run. */
export function Warnings({ run: { warnings } }: { run: RunWithSteps }): ReactNode {
  if (warnings.length === 0) return null
  const undone = warnings.filter(({ code }) => code.startsWith('action_')).length
  return (
    <section aria-label="Warnings" className="mb-8 flex gap-3 rounded-lg bg-warn-soft px-4 py-3">
      <CircleAlert size={18} className="mt-0.5 shrink-0 text-warn" aria-hidden="true" />
      <div className="min-w-0">
        {undone > 0 && <p className="font-medium text-warn">Not everything was done</p>}
        <ul>
          {warnings.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
        {undone > 0 && (
          <p className="mt-0.5 text-sm text-ink-soft">
            Fix the cause, then run the workflow again. The calls are listed under their steps.
          </p>
        )}
      </div>
    </section>
  )
}

/** Why the run is held. */
export function IsHeld({ run: { held } }: { run: RunWithSteps }): ReactNode {
  if (held === null) return null
  return (
    <section aria-label="Held" className="mb-8 flex gap-3 rounded-lg bg-warn-soft px-4 py-3">
      <Hourglass size={18} className="mt-0.5 shrink-0 text-warn" aria-hidden="true" />
      <div className="min-w-0">
        <p className="font-medium text-warn">{heldWords[held.reason]}</p>
        <p className="text-ink-soft">{held.message}</p>
        {held.next_try_at !== null && (
          <p className="text-sm text-ink-soft">
            Next try: <NextTry at={held.next_try_at} />
          </p>
        )}
        {held.since !== null && (
          <p className="text-sm text-ink-soft">
            Since <Ago at={held.since} />
          </p>
        )}
      </div>
    </section>
  )
}

const heldWords: Record<NonNullable<RunWithSteps['held']>['reason'], string> = {
  provider_unavailable: 'The model’s provider did not answer',
  account_at_limit: 'Other runs of this account come first',
  budget: 'The account’s spending quota is used up',
  no_worker: 'No worker has started it',
  caller_tool: 'Your own workers execute its calls',
}

function NextTry({ at }: { at: string }): ReactNode {
  const leftMs = Date.parse(at) - useNow()
  return (
    <time dateTime={at} title={formatExact(at)}>
      {leftMs <= 0 ? 'now' : `in ${formatSpan(Math.ceil(leftMs / 1_000) * 1_000)}`}
    </time>
  )
}

/** What the run waits for, in words. */
export function waitsFor({
  kind,
  tool = 'an action',
  calls = [],
}: NonNullable<RunWithSteps['pending']>): string {
  if (calls.length > 1) return `${calls.length} decisions`
  return { input: 'an answer', approval: `approval of ${tool}`, budget: 'approval of its cost' }[
    kind
  ]
}

/** The question or approval that the run waits for. */
export function Waits({ run: { pending } }: { run: RunWithSteps }): ReactNode {
  const { rights } = useSession()
  if (pending === null) return null
  return (
    <section
      aria-label="Waiting for a person"
      className="mb-8 flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft px-4 py-3"
    >
      <Hourglass size={18} className="shrink-0 text-warn" aria-hidden="true" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium text-warn">
          {pending.role} waits for {waitsFor(pending)}
        </p>
        {pending.calls === undefined ? (
          <div className="line-clamp-2 text-ink-soft">
            <Text text={pending.prompt} limit={300} />
          </div>
        ) : (
          <ul className="list-inside list-disc text-ink-soft">
            {pending.calls.map((call) => {
              const { title, detail } = wordsOf({ ...call, role: pending.role })
              return (
                <li key={call.id} className="truncate">
                  {toLine(title, 200)}
                  {detail !== '' && `: ${toLine(detail, 200)}`}
                </li>
              )
            })}
          </ul>
        )}
        {pending.expires_at !== null && (
          <p className="text-sm text-ink-soft">
            <Countdown until={pending.expires_at} />
          </p>
        )}
      </div>
      <Link
        to="/inbox/$pendingId"
        params={{ pendingId: caseIdOf(pending) }}
        className={buttonLook({ kind: 'primary' })}
      >
        {rights.answer ? 'Answer' : 'View in inbox'}
      </Link>
    </section>
  )
}
