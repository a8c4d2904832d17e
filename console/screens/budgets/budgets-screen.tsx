import { Pencil, PiggyBank, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Budget } from '../../../sdk/generated.ts'
import { Link } from '@tanstack/react-router'
import { useUsage } from '../../data/usage.ts'
import { sumOf } from '../../parts/usage/view.ts'
import { useBudgets } from '../../data/budgets.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { OpenNew } from '../../ui/form/open-new.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { formatCost, formatUsd, leftOut } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'
import { BudgetForm } from './budget-form.tsx'
import { atCap, scopeWords, windowWords } from './words.ts'

/** Limits on the cost of model calls, and how much is spent. */
export function BudgetsScreen(): ReactNode {
  const { rights } = useSession()
  const create = rights.administer && (
    <OpenNew label="New budget">
      {(close, workflowId) => <BudgetForm workflowId={workflowId} close={close} />}
    </OpenNew>
  )
  return (
    <ResourceList
      title="Budgets"
      about="What model calls may cost in a day, a week or a month."
      actions={create}
      query={useBudgets()}
      empty={{
        icon: PiggyBank,
        title: 'No budgets yet',
        help: 'budgets',
        text: 'A budget stops model calls before they cost more than you allow.',
      }}
    >
      {(budget) => <Row budget={budget} />}
    </ResourceList>
  )
}

function Row({ budget }: { budget: Budget }): ReactNode {
  const { rights } = useSession()
  const { name, cap_usd: cap, spent_usd: spent, reserved_usd: reserved } = budget
  const unpriced = useUnpriced(budget)
  return (
    <div className="grid grid-cols-1 gap-2 px-4 py-3">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-64">
          <p className="truncate font-medium">{name}</p>
          <p className="text-sm text-ink-soft">
            {scopeWords(budget)}, {windowWords(budget)} · {atCap[budget.on_cap]}
          </p>
        </div>
        {rights.administer && <Actions budget={budget} />}
      </div>
      <Bar budget={budget} />
      <Unpriced budget={budget} />
      <p className="flex flex-wrap gap-x-4 text-sm text-ink-soft tabular-nums">
        <span>
          Spent{' '}
          <span className="font-semibold text-ink">
            {formatCost({ cost_usd: spent, calls_without_price: unpriced })}
          </span>{' '}
          of {formatUsd(cap)}
        </span>
        {reserved > 0 && <span>{formatUsd(reserved)} reserved by calls in progress</span>}
        {(unpriced === 0 || spent > 0) && (
          <span>about {formatUsd(budget.projected_usd)} by the end at this pace</span>
        )}
        <span>
          resets <Ago at={budget.ends_at} />
        </span>
      </p>
    </div>
  )
}

/** What the budget does not count, and why. */
function Unpriced({ budget }: { budget: Budget }): ReactNode {
  const { rights } = useSession()
  const unpriced = useUnpriced(budget)
  const left = leftOut({ calls_without_price: unpriced })
  if (budget.warnings.length === 0 && left === '') return null
  return (
    <p role="note" className="rounded-md bg-warn-soft px-3 py-2 text-sm wrap-anywhere text-warn">
      {[left, ...budget.warnings.map(({ message }) => message)]
        .filter((text) => text !== '')
        .map((text) => `${text}. `)}
      {rights.administer && (
        <Link to="/model-providers" className="link">
          Enter prices
        </Link>
      )}
    </p>
  )
}

/** Model calls without a price since the day on which the budget's window began (in UTC). */
function useUnpriced({ scope, scope_value: value, starts_at: start }: Budget): number {
  const [key = '', ...rest] = (value ?? '').split(':')
  const groupBy = scope === 'account' ? 'day' : scope === 'tag' ? `tag:${key}` : scope
  const { data } = useUsage(start.slice(0, 10), groupBy)
  const rows = (data?.rows ?? []).filter((row) => {
    if (scope === 'account') return true
    return scope === 'tag' ? row.tag === rest.join(':') : row[scope] === value
  })
  return sumOf(rows).calls_without_price
}

function Bar({ budget }: { budget: Budget }): ReactNode {
  const { name, cap_usd: cap, spent_usd: spent, reserved_usd: reserved, thresholds } = budget
  const share = spent / cap
  const passed = thresholds.some((one) => share >= one)
  const tone = share >= 1 ? 'bg-bad' : passed ? 'bg-warn' : 'bg-ok'
  const width = (usd: number) => ({ width: `${Math.min(100, (100 * usd) / cap)}%` })
  return (
    <div
      role="meter"
      aria-label={`Spent of ${name}`}
      aria-valuenow={Math.round(100 * share)}
      aria-valuemin={0}
      aria-valuemax={100}
      className="flex h-2 overflow-hidden rounded-full bg-hover"
    >
      <span className={tone} style={width(spent)} />
      <span className="bg-live/50" style={width(reserved)} />
    </div>
  )
}

function Actions({ budget }: { budget: Budget }): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['budgets'])
  const [shown, setShown] = useState<'change' | 'delete'>()
  const close = (): void => setShown(undefined)
  return (
    <div className="flex gap-2">
      <Button icon={Pencil} onClick={() => setShown('change')}>
        Change
      </Button>
      <Button icon={Trash2} onClick={() => setShown('delete')}>
        Delete
      </Button>
      {shown === 'change' && <BudgetForm budget={budget} close={close} />}
      {shown === 'delete' && (
        <Confirm
          title={`Delete ${budget.name}?`}
          action="Delete budget"
          wayOut="Keep it"
          run={async () => {
            await muster.budgets.delete(budget.id)
            await refresh()
          }}
          onClose={close}
        >
          Its calls are no longer bounded. Runs that it held go on within a minute.
        </Confirm>
      )}
    </div>
  )
}
