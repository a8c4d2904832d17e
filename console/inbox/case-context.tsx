import type { UseQueryResult } from '@tanstack/react-query'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { RunWithSteps, Step, WaitingRun } from '../../sdk/generated.ts'
import { stepMemoryQuery } from '../run/memory-query.ts'
import { CallLine } from '../run/call-line.tsx'
import { Given } from '../run/given.tsx'
import { Output } from '../run/output.tsx'
import { useSession } from '../session/session.tsx'
import { plural } from '../ui/format.ts'
import { Loaded } from '../ui/states.tsx'
import { Text } from '../ui/text.tsx'

interface Props {
  waiting: WaitingRun
  query: UseQueryResult<RunWithSteps>
}

/** What led to the request: the input of the run, the steps before, and what the agent was shown. */
export function CaseContext({ waiting, query }: Props): ReactNode {
  return (
    <section aria-label="What led to it" className="panel divide-y">
      <Loaded query={query}>
        {(run) => {
          const step = run.steps.find(({ order }) => order === waiting.pending.step_order)
          const before = run.steps.filter(({ order }) => order < waiting.pending.step_order)
          const calls = step?.tool_calls.filter(({ id }) => id !== waiting.pending.call_id) ?? []
          return (
            <>
              <Fold title="Input of the run" isOpen>
                <Given run={run} />
              </Fold>
              {before.map((step) => (
                <Fold key={step.id} title={`${step.role} wrote`} isOpen={step === before.at(-1)}>
                  {step.output === null ? (
                    <Text text="nothing" />
                  ) : (
                    <Output of={step} limit={3_000} />
                  )}
                </Fold>
              ))}
              {calls.length > 0 && (
                <Fold title={`${plural(calls.length, 'earlier call')} of this step`}>
                  <ul className="grid gap-2">
                    {calls.map((call) => (
                      <li key={call.id}>
                        <CallLine call={call} />
                      </li>
                    ))}
                  </ul>
                </Fold>
              )}
              {step !== undefined && step.memory.length > 0 && (
                <Fold title={`${plural(step.memory.length, 'note')} that the agent was shown`}>
                  <ShownNotes waiting={waiting} step={step} />
                </Fold>
              )}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

function ShownNotes({ waiting, step }: { waiting: WaitingRun; step: Step }): ReactNode {
  const { muster } = useSession()
  const query = useQuery(stepMemoryQuery(muster, waiting.workflow_id, step))
  return (
    <Loaded query={query} lines={2}>
      {(notes) => (
        <ul className="grid list-disc gap-2 pl-4">
          {notes.map(({ id, content }) => (
            <li key={id}>
              <Text text={content} />
            </li>
          ))}
          {notes.length < step.memory.length && (
            <li className="text-ink-faint">
              {plural(step.memory.length - notes.length, 'note')} forgotten since
            </li>
          )}
        </ul>
      )}
    </Loaded>
  )
}

interface FoldProps {
  title: string
  isOpen?: boolean
  children: ReactNode
}

function Fold({ title, isOpen = false, children }: FoldProps): ReactNode {
  return (
    <details open={isOpen} className="group">
      <summary className="px-4 py-2.5 text-sm font-medium text-ink-soft hover:bg-hover">
        {title}
      </summary>
      <div className="px-4 pt-1 pb-4">{children}</div>
    </details>
  )
}
