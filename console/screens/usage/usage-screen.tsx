import { getRouteApi } from '@tanstack/react-router'
import { CircleDollarSign } from 'lucide-react'
import { useMemo, type ReactNode } from 'react'
import type { Usage } from '../../../sdk/generated.ts'
import { useModels } from '../../data/models.ts'
import { useNow } from '../../ui/text/clock.ts'
import { SelectField } from '../../ui/form/field.tsx'
import { formatCount, formatUsd, formatCost, leftOut } from '../../ui/text/format.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { DayChart } from '../../parts/usage/day-chart.tsx'
import { RunsByDay } from '../../parts/usage/runs-by-day.tsx'
import { useUsage } from '../../data/usage.ts'
import { TagTable } from './tag-table.tsx'
import { UsageTable } from './usage-table.tsx'
import {
  daysUntil,
  defaultDays,
  fillDays,
  spans,
  sumOf,
  type Days,
} from '../../parts/usage/view.ts'

const route = getRouteApi('/usage')

/** Cost of runs by day, workflow, agent, model and tag. */
export function UsageScreen(): ReactNode {
  const { days: count = defaultDays, tag } = route.useSearch()
  const navigate = route.useNavigate()
  const lastDay = new Date(useNow(60_000)).toISOString().slice(0, 10)
  const days = useMemo(() => daysUntil(Date.parse(lastDay), count), [lastDay, count])
  const from = days[0] as string
  const query = useUsage(from, 'day')
  return (
    <Page
      title="Usage"
      about="Runs and steps that ended in these days, in UTC. Deleted runs still count."
      actions={
        <SelectField
          label="Time"
          isLabelHidden
          value={String(count)}
          onChange={(value) =>
            void navigate({ search: { days: Number(value) as Days, ...(tag && { tag }) } })
          }
          options={Object.entries(spans).map(([value, label]) => ({
            value,
            label: `The last ${label}`,
          }))}
        />
      }
    >
      <Loaded query={query} lines={10}>
        {({ rows }) =>
          rows.length === 0 ? (
            <div className="panel">
              <Empty icon={CircleDollarSign} title="Nothing ended in this time" help="usage">
                <p>What runs use is counted when they end, and each of their steps.</p>
              </Empty>
            </div>
          ) : (
            <>
              <Sums sum={sumOf(rows)} />
              <Charts rows={rows} days={days} />
              <UnpricedModels from={from} />
              <UsageTable title="By workflow" from={from} groupBy="workflow" name="workflow" />
              <UsageTable title="By agent" from={from} groupBy="agent" name="agent" />
              <UsageTable title="By model" from={from} groupBy="model" name="model" />
              <TagTable from={from} tag={tag} />
              <UsageTable title="By day" from={from} groupBy="day" name="day" />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function Sums({ sum }: { sum: Usage }): ReactNode {
  const figures = [
    { name: 'Cost', value: formatCost(sum), more: leftOut(sum) || undefined },
    {
      name: 'Runs',
      value: formatCount(sum.runs ?? 0),
      more: `${formatCount(sum.failed ?? 0)} failed, ${formatCount(sum.cancelled ?? 0)} cancelled`,
    },
    { name: 'Steps', value: formatCount(sum.steps) },
    {
      name: 'Tokens',
      value: formatCount(sum.tokens_in + sum.tokens_out),
      more: `${formatCount(sum.tokens_in)} in, ${formatCount(sum.tokens_out)} out`,
    },
  ]
  return (
    <dl className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-4">
      {figures.map(({ name, value, more }) => (
        <div key={name} className="panel px-4 py-3">
          <dt className="text-sm text-ink-soft">{name}</dt>
          <dd className="mt-0.5 text-xl font-semibold sm:text-2xl tracking-tight tabular-nums">
            {value}
            {more !== undefined && (
              <span className="block text-sm font-normal tracking-normal text-ink-soft">
                {more}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Shows hundredths of a cent only if there are any. */
function formatTick(usd: number): string {
  return formatUsd(usd).replace(/(?<=\.\d\d)00$/, '')
}

function Charts({ rows, days }: { rows: Usage[]; days: string[] }): ReactNode {
  const { filled, cost } = useMemo(() => {
    const filled = fillDays(rows, days)
    return { filled, cost: [{ values: filled.map((row) => row.cost_usd), tone: 'text-accent' }] }
  }, [rows, days])
  return (
    <div className="mb-8 grid gap-3 lg:grid-cols-2">
      <DayChart
        title="Cost by day"
        days={days}
        series={cost}
        describe={(place) => `${days[place]}: ${formatCost(filled[place] ?? sumOf([]))}`}
        format={formatTick}
      />
      <RunsByDay rows={rows} days={days} />
    </div>
  )
}

/** Models without known prices, which no sum includes. */
function UnpricedModels({ from }: { from: string }): ReactNode {
  const used = useUsage(from, 'model')
  const known = useModels()
  if (known.data === undefined) return null
  const priced = new Set(
    known.data.flatMap(({ id, price_in, price_out }) =>
      price_in === null || price_out === null ? [] : [id],
    ),
  )
  const unpriced = (used.data?.rows ?? []).filter(({ model = '' }) => !priced.has(model))
  if (unpriced.length === 0) return null
  return (
    <p className="mb-8 rounded-lg bg-warn-soft px-4 py-3 wrap-anywhere text-warn">
      No price is known for {unpriced.map(({ model }) => model).join(', ')}: what they cost is not
      in these sums.
    </p>
  )
}
