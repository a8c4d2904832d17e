import { Pencil, PiggyBank, Plus, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Budget } from '../../../sdk/generated.ts'
import { useBudgets } from '../../data/budgets.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { List } from '../../ui/list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { formatUsd } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'
import { BudgetForm } from './budget-form.tsx'
import { atCap, scopeWords, windowWords } from './words.ts'

/** Limits on the cost of model calls, and how much is spent. */
export function BudgetsScreen(): ReactNode {
  const { rights } = useSession()
  const [creates, setCreates] = useState(false)
  const create = rights.administer && (
    <Button kind="primary" icon={Plus} onClick={() => setCreates(true)}>
      New budget
    </Button>
  )
  return (
    <Page
      title="Budgets"
      about="What model calls may cost in a day, a week or a month."
      actions={create}
    >
      {creates && <BudgetForm close={() => setCreates(false)} />}
      <List
        label="Budgets"
        query={useBudgets()}
        empty={
          <Empty icon={PiggyBank} title="No budgets yet">
            <p>A budget stops model calls before they cost more than you allow.</p>
          </Empty>
        }
      >
        {(budget) => <Row budget={budget} />}
      </List>
    </Page>
  )
}

function Row({ budget }: { budget: Budget }): ReactNode {
  const { rights } = useSession()
  const { name, cap_usd: cap, spent_usd: spent, reserved_usd: reserved } = budget
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
      <p className="flex flex-wrap gap-x-4 text-sm text-ink-soft tabular-nums">
        <span>
          <span className="font-semibold text-ink">{formatUsd(spent)}</span> of {formatUsd(cap)}{' '}
          spent
        </span>
        {reserved > 0 && <span>{formatUsd(reserved)} reserved by calls in progress</span>}
        <span>about {formatUsd(budget.projected_usd)} by the end at this pace</span>
        <span>
          resets <Ago at={budget.ends_at} />
        </span>
      </p>
    </div>
  )
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
