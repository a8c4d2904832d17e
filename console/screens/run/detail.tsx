import { X } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import type { RunWithSteps, Step, ToolCall } from '../../../sdk/generated.ts'
import { ActionView } from '../../parts/inbox/action-view.tsx'
import { useSession } from '../../session/session.tsx'
import { IconButton } from '../../ui/button.tsx'
import { showElement } from '../../ui/focus/show.ts'
import { formatCount, formatCost, plural } from '../../ui/text/format.ts'
import { UsedTokens } from './used-tokens.tsx'
import { Dot } from '../../ui/status.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { Text } from '../../ui/text/text.tsx'
import { Ago, Span } from '../../ui/text/time.tsx'
import { callState, decisionWord } from '../../parts/run/call-words.ts'
import { ShownNotes } from '../../parts/run/shown-notes.tsx'
import type { Row } from './timeline.ts'
import { Output } from '../../parts/run/output.tsx'
import { Instructions, Turns } from './turns.tsx'

interface Props {
  row: Row
  run: RunWithSteps
  close: () => void
}

/** Details of the selected row. */
export function Detail({ row, run, close }: Props): ReactNode {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    // Beside the timeline it is visible already; below it, it has to be scrolled to.
    if (place.current !== null) showElement(place.current)
  }, [row.id])
  const title =
    row.kind === 'step'
      ? row.step.role
      : row.kind === 'call'
        ? row.call.tool
        : row.kind === 'wait'
          ? `Waiting: ${row.asks}`
          : 'In the queue'
  return (
    <section
      ref={place}
      aria-label={`Detail: ${title}`}
      className="panel scroll-m-4 xl:sticky xl:top-4 xl:max-h-[calc(100dvh-2rem)] xl:overflow-y-auto"
    >
      <header className="sticky top-0 z-10 flex items-center justify-between gap-3 rounded-t-lg border-b bg-surface py-2 pr-2 pl-4">
        <h3 className={`truncate font-semibold ${row.kind === 'call' ? 'font-mono text-sm' : ''}`}>
          {title}
        </h3>
        <IconButton label="Close the detail" icon={X} onClick={close} />
      </header>
      <div className="grid gap-5 p-4">
        {row.kind === 'step' && <StepDetail step={row.step} run={run} />}
        {row.kind === 'call' && <CallDetail call={row.call} />}
        {row.kind === 'wait' && (
          <p>
            The run waited for a person{' '}
            <Span
              from={new Date(row.from).toISOString()}
              to={row.to === null ? null : new Date(row.to).toISOString()}
            />
            . {row.call !== undefined && <Decision call={row.call} />}
          </p>
        )}
        {row.kind === 'queue' && <p>The run waited until a worker took it.</p>}
      </div>
    </section>
  )
}

function StepDetail({ step, run }: { step: Step; run: RunWithSteps }): ReactNode {
  return (
    <>
      <p className="text-sm text-ink-soft">
        <span className="font-mono text-xs">{step.model}</span> · <UsedTokens of={step} /> ·{' '}
        {formatCost(step)}
        {step.agent_version !== null && ` · version ${step.agent_version} of the agent`}
        {step.output_given && ' · output given with the fork'}
        {step.reused_from !== null && ' · copied from the previous run, at no cost'}
      </p>
      {step.error !== null && (
        <Part title="Why it failed">
          <div className="text-bad">
            <Text text={step.error} />
          </div>
        </Part>
      )}
      {step.output !== null && (
        <Part title="Output">
          <Output of={step} />
        </Part>
      )}
      <Instructions key={`instructions.${step.id}`} runId={run.id} step={step} />
      <Part title="Prompt">
        <Markdown text={step.input} limit={3_000} />
      </Part>
      {step.memory.length > 0 && (
        <Part title={`${plural(step.memory.length, 'note')} from memory`}>
          <ShownNotes workflowId={run.workflow_id} step={step} />
        </Part>
      )}
      <Turns key={step.id} runId={run.id} step={step} />
    </>
  )
}

function CallDetail({ call }: { call: ToolCall }): ReactNode {
  const { tone, word, isLive = false } = callState(call)
  return (
    <>
      <p className="flex flex-wrap gap-x-3 text-sm text-ink-soft">
        <Dot tone={tone} isLive={isLive}>
          {word}
        </Dot>
        <Decision call={call} />
        <Ruled call={call} />
      </p>
      <Part title={call.proposed_input === null ? 'Arguments' : 'Arguments, as edited'}>
        <ActionView tool={call.tool} value={call.input ?? {}} />
      </Part>
      {call.proposed_input !== null && (
        <Part title="Proposed arguments">
          <ActionView tool={call.tool} value={call.proposed_input} />
        </Part>
      )}
      {call.output !== null && (
        <Part title="Result">
          <Text text={call.output} mono />
          {(call.output_bytes ?? 0) > new TextEncoder().encode(call.output).length && (
            <p className="mt-1 text-sm text-ink-faint">
              The first 2,000 characters of {formatCount(call.output_bytes ?? 0)} bytes. All of it
              is with the turns of the step.
            </p>
          )}
        </Part>
      )}
    </>
  )
}

/** The person who decided, and when. */
function Decision({ call }: { call: ToolCall }): ReactNode {
  const { identity } = useSession()
  const word = decisionWord(call)
  if (word === undefined || call.decided_at === null) return null
  const { decider, reason } = call
  return (
    <span>
      {word}
      {decider !== null && ` by ${decider.id === identity.id ? 'you' : decider.name}`}{' '}
      <Ago at={call.decided_at} />
      {reason !== null && <> – “{reason}”</>}
    </span>
  )
}

const ruleWords = { allow: 'Allowed by a rule', ask: 'Asked by a rule', block: 'Blocked by a rule' }

/** The account's rule that decided whether approval is required. */
function Ruled({ call: { rule } }: { call: ToolCall }): ReactNode {
  if (rule === null) return null
  const { decision, position, action, reason } = rule
  return (
    <span>
      {ruleWords[decision]} (number {position + 1}, <code>{action}</code>)
      {reason !== null && <> – “{reason}”</>}
    </span>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section>
      <h4 className="mb-1 text-sm font-medium text-ink-faint">{title}</h4>
      {children}
    </section>
  )
}
