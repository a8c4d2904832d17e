import { useNavigate } from '@tanstack/react-router'
import { GitFork } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { ForkRun, Run, RunWithSteps } from '../../../sdk/generated.ts'
import { useAnswer } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextArea } from '../../ui/form/field.tsx'
import { fieldOf, useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { plural } from '../../ui/text/format.ts'
import { Text } from '../../ui/text/text.tsx'

/** Starts a new run from a step of this one, with edits. */
export function ForkButton({ run }: { run: RunWithSteps }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button icon={GitFork} onClick={() => setIsOpen(true)}>
        Fork
      </Button>
      {isOpen && <ForkDialog run={run} close={() => setIsOpen(false)} />}
    </>
  )
}

function ForkDialog({ run, close }: { run: RunWithSteps; close: () => void }): ReactNode {
  const { muster } = useSession()
  const navigate = useNavigate()
  const finished = run.steps.filter(({ output }) => output !== null)
  const dialog = useDialogForm({
    draft: `fork.${run.id}`,
    initial: {
      from: Math.max(0, Math.min(finished.length, run.steps.length - 1)),
      input: run.input,
      outputs: fieldOf<Record<string, string>>({}),
      definition: fieldOf<'frozen' | 'current'>('frozen'),
    },
    saved: ({ id }: Run) => navigate({ to: '/runs/$runId', params: { runId: id } }),
  })
  const { set, field } = dialog
  const { from, input, outputs, definition } = dialog.form
  const isDataText = run.data !== null && run.input === JSON.stringify(run.data)
  const body: ForkRun = {
    from_step: from,
    definition,
    ...(input === run.input || isDataText ? {} : { input }),
    outputs: changedOutputs(run, from, outputs),
  } satisfies ForkRun
  return (
    <FormModal
      help="forks"
      title="Fork this run"
      description="A new run copies the steps before the chosen one, at no cost, and executes the rest."
      isWide
      dialog={dialog}
      close={close}
      action="Start fork"
      send={() => muster.runs.fork(run.id, body)}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Start at"
          value={String(from)}
          onChange={(value) => set({ from: Number(value) })}
          options={run.steps.map(({ order, role }) => ({
            value: String(order),
            label: `Step ${order + 1}: ${role}`,
          }))}
        />
        <SelectField
          label="Definition"
          {...field('definition')}
          options={[
            {
              value: 'frozen',
              label:
                run.workflow_version === null
                  ? 'As in this run'
                  : `Version ${run.workflow_version}, as this run`,
            },
            { value: 'current', label: 'The live version' },
          ]}
        />
      </div>
      {!isDataText && <TextArea label="Input" longest={16_000} {...field('input')} />}
      {run.steps.slice(0, from).map(({ order, role, output }) => (
        <TextArea
          key={order}
          label={`Output of ${role} (step ${order + 1})`}
          value={outputs[order] ?? output ?? ''}
          onChange={(text) => set({ outputs: { ...outputs, [order]: text } })}
        />
      ))}
      <Repeats runId={run.id} body={body} />
    </FormModal>
  )
}

/** Outputs that were edited. */
function changedOutputs(
  { steps }: RunWithSteps,
  from: number,
  outputs: Record<string, string>,
): Record<string, string> {
  const changed = steps
    .slice(0, from)
    .filter(({ order, output }) => outputs[order] !== undefined && outputs[order] !== output)
  return Object.fromEntries(changed.map(({ order }) => [order, outputs[order] ?? '']))
}

const outcomes = {
  asks_again: { word: 'Asks again', tone: 'ok' },
  done_again: { word: 'Done again without approval', tone: 'bad' },
  refused: { word: 'Refused', tone: 'neutral' },
} as const

/** Warns of actions on other systems that the fork may repeat. */
function Repeats({ runId, body }: { runId: string; body: ForkRun }): ReactNode {
  const { from_step: from, definition = 'frozen', outputs = {} } = body
  // The preview depends on which outputs are given, not on their content.
  const query = useAnswer(
    ['run', runId, 'fork', from, definition, Object.keys(outputs).join()],
    (muster, options) =>
      muster.runs.preview_fork(runId, { from_step: from, definition, outputs }, options),
    { retry: false },
  )
  if (query.error !== null) return null
  return (
    <Loaded query={query} lines={2}>
      {({ actions }) =>
        actions.length === 0 ? (
          <p className="text-sm text-ink-soft">
            This run changed nothing in other systems from this step on.
          </p>
        ) : (
          <section aria-label="Actions of this run" className="rounded-md bg-warn-soft p-3">
            <p className="text-sm text-warn">
              From this step on, the run took {plural(actions.length, 'action')} in other systems.
              The fork repeats none by itself, but its agents may ask for them again:
            </p>
            <ul className="mt-2 grid gap-2">
              {actions.map(({ id, tool, role, input, outcome }) => (
                <li key={id} className="grid gap-1 text-sm">
                  <span className="flex flex-wrap items-center gap-2">
                    <span className="font-mono text-xs">{tool}</span>
                    <span className="text-ink-soft">by {role}</span>
                    <Badge tone={outcomes[outcome].tone}>{outcomes[outcome].word}</Badge>
                  </span>
                  <Text text={JSON.stringify(input)} mono limit={200} />
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Loaded>
  )
}
