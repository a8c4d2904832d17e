import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ComparedRun, RunComparison } from '../../../sdk/generated.ts'
import { runStates, stateOfStarted } from '../../data/runs/states.ts'
import { TextDiff } from '../../parts/versions/text-diff.tsx'
import { useAnswer } from '../../session/api.ts'
import { Found } from '../../ui/found.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { formatCost, formatCount, formatSpan } from '../../ui/text/format.ts'
import { Dot } from '../../ui/status.tsx'
import { Text } from '../../ui/text/text.tsx'
import { showInvisible } from '../../ui/text/invisible.ts'
import { Ago } from '../../ui/text/time.tsx'

/** Two runs side by side: their figures, and the difference of their outputs. */
export function CompareScreen(): ReactNode {
  const { runId, otherId } = useParams({ from: '/runs/$runId/compare/$otherId' })
  const query = useAnswer(['compare', runId, otherId], (muster, options) =>
    muster.runs.compare(runId, otherId, options),
  )
  return (
    <Found query={query} tab="Compare runs" lines={10}>
      {(both) => <Shown both={both} />}
    </Found>
  )
}

function Shown({ both }: { both: RunComparison }): ReactNode {
  const { before, after, input, output, steps } = both
  return (
    <Page
      title="Compare runs"
      above={
        <p className="mb-1 text-sm text-ink-soft">
          <Link to="/runs/$runId" params={{ runId: after.id }} className="hover:underline">
            ← Back to the run
          </Link>
        </p>
      }
    >
      <Figures before={before} after={after} />
      <Section title="Input">
        <div className="panel px-4 py-3">
          {input === null ? <SameInput runId={after.id} /> : <TextDiff parts={input} />}
        </div>
      </Section>
      <Section title="Output">
        <div className="panel px-4 py-3">
          {output === null ? (
            <p className="text-ink-soft">Both runs have the same output.</p>
          ) : (
            <TextDiff parts={output} />
          )}
        </div>
      </Section>
      <Section title="Steps">
        <ul aria-label="Steps" className="panel divide-y">
          {steps.map((step) => (
            <li key={step.order} className="grid gap-2 p-4">
              <StepRow step={step} />
            </li>
          ))}
        </ul>
      </Section>
    </Page>
  )
}

function SameInput({ runId }: { runId: string }): ReactNode {
  const { data: run } = useAnswer(['run', runId], (muster, options) =>
    muster.runs.retrieve(runId, options),
  )
  return (
    <>
      <p className="mb-2 text-sm text-ink-soft">The same in both runs</p>
      {run !== undefined && <Text text={run.input} />}
    </>
  )
}

const rows: [name: string, of: (run: ComparedRun) => ReactNode][] = [
  [
    'Run',
    ({ id }) => (
      <Link to="/runs/$runId" params={{ runId: id }} className="link font-mono text-xs break-all">
        {id}
      </Link>
    ),
  ],
  ['Triggered', ({ created_at: at }) => <Ago at={at} />],
  ['Version', ({ workflow_version: version }) => version ?? '–'],
  ['Status', (run) => <Status run={run} />],
  ['Tokens in / out', (run) => `${formatCount(run.tokens_in)} / ${formatCount(run.tokens_out)}`],
  ['Cost', formatCost],
  ['Run time', ({ duration_ms: ms }) => (ms === null ? '–' : formatSpan(ms))],
  ['Tool calls', ({ tool_calls: calls }) => calls],
]

function Status({ run }: { run: ComparedRun }): ReactNode {
  const { status: run_status, has_warnings: run_has_warnings } = run
  const { tone, word } = runStates[stateOfStarted({ run_status, run_has_warnings }) ?? 'queued']
  return <Dot tone={tone}>{word}</Dot>
}

function Figures({ before, after }: { before: ComparedRun; after: ComparedRun }): ReactNode {
  return (
    <div className="panel mb-8 overflow-x-auto" tabIndex={0} role="region" aria-label="Figures">
      <table className="w-full text-left text-sm tabular-nums">
        <thead>
          <tr className="border-b text-ink-soft">
            <th scope="col" className="px-4 py-2 font-medium">
              <span className="sr-only">Figure</span>
            </th>
            <th scope="col" className="px-4 py-2 font-medium">
              Before
            </th>
            <th scope="col" className="px-4 py-2 font-medium">
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, of]) => (
            <tr key={name} className="border-b last:border-b-0">
              <th scope="row" className="px-4 py-2 font-normal whitespace-nowrap text-ink-soft">
                {name}
              </th>
              <td className="px-4 py-2">{of(before)}</td>
              <td className="px-4 py-2">{of(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type Step = RunComparison['steps'][number]

function StepRow({ step: { order, before, after, output } }: { step: Step }): ReactNode {
  const role = after?.role ?? before?.role ?? ''
  return (
    <>
      <h3 className="font-medium">
        {order + 1}. {showInvisible(role)}
      </h3>
      <dl className="grid gap-x-6 gap-y-1 text-sm text-ink-soft sm:grid-cols-2">
        <Side name="Before" of={before} />
        <Side name="After" of={after} />
      </dl>
      {output === null ? (
        <p className="text-sm text-ink-soft">Same output</p>
      ) : (
        <TextDiff parts={output} />
      )}
    </>
  )
}

function Side({ name, of }: { name: string; of: Step['before'] }): ReactNode {
  return (
    <div className="flex flex-wrap gap-x-2">
      <dt>{name}:</dt>
      <dd>{of === null ? 'not executed' : summarizeStep(of)}</dd>
    </div>
  )
}

function summarizeStep(side: NonNullable<Step['before']>): string {
  if (side.output_given) return 'output given with the fork'
  if (side.reused_from !== null) return 'copied, at no cost'
  const time = side.duration_ms === null ? [] : [formatSpan(side.duration_ms)]
  const { agent_version: version } = side
  const agent = version === null ? [] : [`version ${version} of the agent`]
  const tools = side.tools.length === 0 ? [] : [side.tools.join(', ')]
  return [...agent, side.model, ...time, formatCost(side), ...tools].join(' · ')
}
