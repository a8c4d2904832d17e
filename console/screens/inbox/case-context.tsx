import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { RunWithSteps, WaitingRun } from '../../../sdk/generated.ts'
import { requestsOf } from '../../data/inbox.ts'
import { CallLine } from '../../parts/run/call-line.tsx'
import { Given } from '../../parts/run/given.tsx'
import { Output } from '../../parts/run/output.tsx'
import { ShownNotes } from '../../parts/run/shown-notes.tsx'
import { plural } from '../../ui/text/format.ts'
import { Loaded } from '../../ui/states.tsx'
import { Text } from '../../ui/text/text.tsx'

interface Props {
  waiting: WaitingRun
  query: UseQueryResult<RunWithSteps>
}

/**
 * The context of a request: the input of the run, the earlier steps, and the agent's memory
 * entries.
 */
export function CaseContext({ waiting, query }: Props): ReactNode {
  return (
    <section aria-label="Context" className="panel divide-y">
      <Loaded query={query}>
        {(run) => {
          const step = run.steps.find(({ order }) => order === waiting.pending.step_order)
          const before = run.steps.filter(({ order }) => order < waiting.pending.step_order)
          const asked = requestsOf(waiting).map(({ pending }) => pending.call_id)
          const calls = step?.tool_calls.filter(({ id }) => !asked.includes(id)) ?? []
          return (
            <>
              <Fold title="Input" isOpen>
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
                <Fold title={`${plural(step.memory.length, 'note')} shown to the agent`}>
                  <ShownNotes workflowId={waiting.workflow_id} step={step} />
                </Fold>
              )}
            </>
          )
        }}
      </Loaded>
    </section>
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
