import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Usage } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { CsvButton } from '../../ui/csv-button.tsx'
import { formatCount, formatSpan, formatCost } from '../../ui/text/format.ts'
import { Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useUsage } from '../../data/usage.ts'

interface Props {
  title: string
  from: string
  groupBy: string
  /** Name of the grouping, for people. */
  name: string
}

/** Sums by workflow, agent, model or tag, the most expensive first; days newest first. */
export function UsageTable({ title, from, groupBy, name }: Props): ReactNode {
  const { muster } = useSession()
  const query = useUsage(from, groupBy)
  const download = (
    <CsvButton
      label={`CSV by ${name}`}
      kind="quiet"
      fileName={`usage-by-${groupBy.replace(':', '-')}-since-${from}.csv`}
      read={() => muster.usage.csv({ from, group_by: groupBy })}
    />
  )
  return (
    <Section title={title} aside={download}>
      <div className="panel overflow-hidden">
        <Loaded query={query}>
          {({ rows, hasMore }) =>
            rows.length === 0 ? (
              <p className="px-4 py-6 text-ink-soft">Nothing ended in this time.</p>
            ) : (
              <>
                <Rows title={title} rows={sort(rows, groupBy)} />
                {hasMore && (
                  <p className="border-t px-4 py-3 text-sm text-ink-soft">
                    These are the first {formatCount(rows.length)}; the CSV has all.
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </div>
    </Section>
  )
}

function sort(rows: Usage[], groupBy: string): Usage[] {
  return groupBy === 'day' ? rows.toReversed() : rows.toSorted((a, b) => b.cost_usd - a.cost_usd)
}

const cell = 'px-3 py-2 text-right tabular-nums whitespace-nowrap'

function Rows({ title, rows }: { title: string; rows: Usage[] }): ReactNode {
  const hasRuns = rows[0]?.runs !== null
  const names = [
    'Cost',
    ...(hasRuns ? ['Runs', 'Failed', 'Cancelled'] : []),
    'Steps',
    'Tokens in',
    'Tokens out',
    'Median time',
    'p95 duration',
  ]
  return (
    // Also scrollable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label={title} tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-sm">
        <thead className="border-b text-ink-soft">
          <tr>
            <th scope="col" className="px-4 py-2 text-left font-medium">
              Name
            </th>
            {names.map((name) => (
              <th key={name} scope="col" className={`${cell} font-medium`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map((row) => (
            <tr key={row.day ?? row.workflow ?? row.model ?? row.tag ?? row.agent ?? ''}>
              <th scope="row" className="min-w-40 px-4 py-2 text-left font-normal wrap-anywhere">
                <Name row={row} />
              </th>
              <td className={`${cell} font-medium`}>{formatCost(row)}</td>
              {hasRuns && (
                <>
                  <td className={cell}>{formatCount(row.runs ?? 0)}</td>
                  <td className={`${cell} ${row.failed === 0 ? '' : 'text-bad'}`}>
                    {formatCount(row.failed ?? 0)}
                  </td>
                  <td className={cell}>{formatCount(row.cancelled ?? 0)}</td>
                </>
              )}
              <td className={cell}>{formatCount(row.steps)}</td>
              <td className={cell}>{formatCount(row.tokens_in)}</td>
              <td className={cell}>{formatCount(row.tokens_out)}</td>
              <td className={cell}>{time(row.duration_p50_ms)}</td>
              <td className={cell}>{time(row.duration_p95_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function time(ms: number | null): string {
  return ms === null ? '–' : formatSpan(ms)
}

function Name({ row: { day, workflow, agent, model, tag, name } }: { row: Usage }): ReactNode {
  if (workflow !== undefined) {
    if (name == null) return `${workflow} (deleted)`
    return (
      <Link to="/workflows/$workflowId" params={{ workflowId: workflow }} className="link">
        {name}
      </Link>
    )
  }
  if (agent === null) return 'No standing agent'
  if (agent !== undefined) {
    if (name == null) return `${agent} (deleted)`
    return (
      <Link to="/agents/$agentId" params={{ agentId: agent }} className="link">
        {name}
      </Link>
    )
  }
  return day ?? model ?? tag
}
