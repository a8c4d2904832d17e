import { useState, type ReactNode } from 'react'
import type { Step, Turn } from '../../../sdk/generated.ts'
import { useAnswer, usePages } from '../../session/api.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { formatSpan, formatCost } from '../../ui/text/format.ts'
import { UsedTokens } from './used-tokens.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { Loaded, Loading } from '../../ui/states.tsx'
import { Text } from '../../ui/text/text.tsx'
import { CallLine } from '../../parts/run/call-line.tsx'

const pageSize = 10

/** The instructions of a step as the model got them, loaded when opened. */
export function Instructions({ runId, step }: { runId: string; step: Step }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="text-sm font-medium text-ink-soft">Instructions</summary>
      {isOpen && <FirstInstructions runId={runId} step={step} />}
    </details>
  )
}

function FirstInstructions({ runId, step }: { runId: string; step: Step }): ReactNode {
  const query = useAnswer(['turns', runId, step.order, 'first'], (muster, options) =>
    muster.runs.turns(runId, String(step.order), { ...options, limit: 1 }),
  )
  return (
    <Loaded query={query}>
      {([turn]) => {
        const text = turn?.messages.find(({ role }) => role === 'system')?.text
        return (
          <div className="mt-2">
            <Markdown text={text ?? 'No turn of this step is stored.'} />
          </div>
        )
      }}
    </Loaded>
  )
}

/** Turns of a step, loaded when opened. */
export function Turns({ runId, step }: { runId: string; step: Step }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="text-sm font-medium text-ink-soft">Model turns</summary>
      {isOpen && <TurnList runId={runId} step={step} />}
    </details>
  )
}

function TurnList({ runId, step }: { runId: string; step: Step }): ReactNode {
  const query = usePages(
    ['turns', runId, step.order, step.finished_at, step.tool_calls.length],
    (muster, options) =>
      muster.runs.turns(runId, String(step.order), { ...options, limit: pageSize }),
  )
  const { data: turns = [] } = query
  if (query.isPending) return <Loading lines={4} label="Loading turns" />
  return (
    <div className="mt-3 grid gap-5">
      {query.error !== null && <Failure error={query.error} retry={() => void query.refetch()} />}
      {turns.length === 0 && query.error === null && (
        <p className="text-sm text-ink-soft">No turn is kept of this step.</p>
      )}
      <ol className="grid gap-5">
        {turns.map((turn) => (
          <li key={turn.number}>
            <TurnView turn={turn} />
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Further turns
        </Button>
      )}
    </div>
  )
}

function TurnView({ turn }: { turn: Turn }): ReactNode {
  const { number, duration_ms: ms, request_id: requestId } = turn
  return (
    <section aria-label={`Turn ${number + 1}`} className="grid gap-2">
      <h5 className="font-medium">Turn {number + 1}</h5>
      <p className="text-sm text-ink-soft">
        {ms !== null && <>{formatSpan(ms)} · </>}
        <UsedTokens of={turn} /> · {formatCost(turn)}
        {requestId !== null && <span className="font-mono text-xs"> · {requestId}</span>}
      </p>
      {turn.messages.map(({ role, text }) => (
        <Said key={role} by={role === 'system' ? 'Instructions' : 'Prompt'} text={text} />
      ))}
      {turn.tools.length > 0 && (
        <details>
          <summary className="text-sm text-ink-soft">
            Offered {turn.tools.length} {turn.tools.length === 1 ? 'tool' : 'tools'}:{' '}
            {turn.tools.map(({ name }) => name).join(', ')}
          </summary>
          <Text text={JSON.stringify(turn.tools, null, 2)} mono limit={20_000} />
        </details>
      )}
      {turn.reasoning !== null && <Said by="Reasoning" text={turn.reasoning} />}
      {turn.text === null ? (
        <p className="text-sm text-ink-faint">What it wrote was deleted by age.</p>
      ) : (
        turn.text !== '' && <Said by="The model" text={turn.text} />
      )}
      {turn.problem !== null && <Said by="Sent back, because" text={turn.problem} />}
      {turn.calls.map((call) => (
        <CallLine key={call.id} call={call} />
      ))}
    </section>
  )
}

function Said({ by, text }: { by: string; text: string }): ReactNode {
  return (
    <div>
      <h6 className="text-xs text-ink-faint">{by}</h6>
      <Text text={text} limit={3_000} />
    </div>
  )
}
