import type { ReactNode } from 'react'
import type { Agent, RunCounts, Workflow } from '../../../sdk/generated.ts'
import { SelectField } from '../../ui/form/field.tsx'
import { spans, type Filters, type Since } from '../../data/runs/filters.ts'
import { formatCount } from '../../ui/text/format.ts'
import { Find, Found } from './find.tsx'
import { runStates, type RunState } from '../../data/runs/states.ts'

interface Props {
  filters: Filters
  workflows: Workflow[]
  agents: Agent[]
  counts: RunCounts | undefined
  change: (filters: Filters) => void
}

/** The filters: status as chips, others as lists, and active searches as removable chips. */
export function FilterBar({ filters, workflows, agents, counts, change }: Props): ReactNode {
  const set = <Name extends keyof Filters>(name: Name, value: Filters[Name] | undefined) => {
    const { [name]: _, ...others } = filters
    change(value === undefined ? others : { ...others, [name]: value })
  }
  const states = Object.keys(runStates) as RunState[]
  return (
    <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
      <div
        role="group"
        aria-label="State"
        className="-mx-4 flex gap-1.5 overflow-x-auto px-4 py-0.5 *:shrink-0 sm:mx-0 sm:flex-wrap sm:px-0"
      >
        {[undefined, ...states].map((state) => (
          <button
            key={state ?? 'all'}
            type="button"
            aria-pressed={filters.state === state}
            onClick={() => set('state', state)}
            className="h-8 rounded-full border px-3 text-sm text-ink-soft hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent pointer-coarse:h-10"
          >
            {state === undefined ? 'All' : runStates[state].word}{' '}
            {counts !== undefined && (
              <span className="ml-0.5 text-ink-faint tabular-nums in-aria-pressed:text-inherit">
                {countOf(counts, state)}
              </span>
            )}
          </button>
        ))}
      </div>
      <div className="grid w-full grid-cols-2 gap-2 lg:grid-cols-[minmax(0,1fr)_10rem_12rem_11rem_9rem]">
        <Find filters={filters} change={change} />
        <SelectField
          label="Time"
          isLabelHidden
          value={filters.since ?? ''}
          onChange={(since) => set('since', since === '' ? undefined : (since as Since))}
          options={[
            { value: '', label: 'Any time' },
            ...Object.entries(spans).map(([value, { label }]) => ({ value, label })),
          ]}
        />
        <SelectField
          label="Workflow"
          isLabelHidden
          value={filters.workflow ?? ''}
          onChange={(workflow) => set('workflow', workflow === '' ? undefined : workflow)}
          options={[
            { value: '', label: 'All workflows' },
            ...workflows.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <SelectField
          label="Agent"
          isLabelHidden
          value={filters.agent ?? ''}
          onChange={(agent) => set('agent', agent === '' ? undefined : agent)}
          options={[
            { value: '', label: 'Any agent' },
            ...agents.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <SelectField
          label="Cost"
          isLabelHidden
          value={String(filters.cost ?? '')}
          onChange={(cost) => set('cost', cost === '' ? undefined : Number(cost))}
          options={[
            { value: '', label: 'Any cost' },
            ...['0.01', '0.1', '1', '10'].map((value) => ({ value, label: `From $${value}` })),
          ]}
        />
      </div>
      <Found filters={filters} change={change} />
    </div>
  )
}

/** `1,000+` where there are more than were counted. */
function countOf(counts: RunCounts, state: RunState | undefined): string {
  const { with_warnings: warned, ...others } = counts
  if (state === 'warned') return toText(warned)
  if (state !== undefined) return toText(others[state])
  const all = Object.values(others)
  const count = all.reduce((sum, one) => sum + one.count, 0)
  return toText({
    count: Math.min(count, most),
    more: count > most || all.some(({ more }) => more),
  })
}

/** The API counts up to this number. */
const most = 1_000

function toText({ count, more }: RunCounts['queued']): string {
  return `${formatCount(count)}${more ? '+' : ''}`
}
