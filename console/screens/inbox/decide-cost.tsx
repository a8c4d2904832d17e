import { Check, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { WaitingRun } from '../../../sdk/generated.ts'
import type { RunAnswer } from '../../../sdk/runs.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { faultOf } from '../../ui/form/fault.ts'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { formatUsd } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'

type Cost = NonNullable<WaitingRun['pending']['cost']>

/** Why a run needs a higher spend limit. */
export function CostView({ cost }: { cost: Cost }): ReactNode {
  const { budget, spent_usd, limit_usd, estimate_usd, run_cost_usd } = cost
  const rows: [string, ReactNode][] = [
    ...(budget === undefined
      ? []
      : ([
          ['Budget', budget.name],
          ['Cost of this run', formatUsd(run_cost_usd)],
        ] as [string, ReactNode][])),
    ['Spent', formatUsd(spent_usd)],
    [
      budget === undefined ? 'Limit of the run' : `Cap of the ${budget.window}`,
      formatUsd(limit_usd),
    ],
    ['Next model call', `up to ${formatUsd(estimate_usd)}`],
  ]
  return (
    <section aria-label="Cost" className="panel px-4 py-4">
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="tabular-nums wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      {budget !== undefined && (
        <p className="mt-3 text-sm text-ink-soft">
          The budget resets <Ago at={budget.ends_at} />. This run waits for an answer until then and
          after.
        </p>
      )}
    </section>
  )
}

interface Props {
  /** Id of the pending request. */
  id: string
  cost: Cost
  isBusy: boolean
  error: unknown
  /** Why the signed-in person may not approve. */
  whyNot: string | undefined
  respond: (answer: RunAnswer) => void
  reject: () => void
  className: string
}

/** Allows the run to cost more, or continues to a rejection. */
export function DecideCost(props: Props): ReactNode {
  const { id, cost, isBusy, error, whyNot, respond, reject, className } = props
  const [max, setMax] = useDraft(`cost.${id}`, String(suggestedFor(cost)))
  const fault = faultOf(error)
  return (
    <Form
      className={`${className} grid gap-3`}
      send={() => respond({ action: 'approve', max_cost_usd: Number(max) })}
    >
      {error !== null && fault?.param !== 'max_cost_usd' && <Failure error={error} />}
      {whyNot !== undefined && (
        <p role="note" className="text-sm text-ink-soft">
          {whyNot}
        </p>
      )}
      <div className="max-w-xs">
        <TextField
          label="New total limit for the run (USD)"
          hint={`It has cost ${formatUsd(cost.run_cost_usd)}. Other runs still ask.`}
          type="number"
          inputMode="decimal"
          min="0"
          max="1000000"
          step="any"
          required
          value={max}
          onChange={setMax}
          error={fault?.param === 'max_cost_usd' ? fault.message : undefined}
        />
      </div>
      <div className="flex flex-wrap gap-2 *:flex-1 sm:*:flex-none">
        <Button
          type="submit"
          kind="primary"
          icon={Check}
          isBusy={isBusy}
          disabled={whyNot !== undefined || !(Number(max) > 0)}
        >
          Approve cost
        </Button>
        <Button icon={X} shortcut="r" disabled={isBusy} onClick={reject}>
          End the run
        </Button>
      </div>
    </Form>
  )
}

/** A suggested limit: twice the current one, or enough for the next call; rounded to two digits. */
function suggestedFor({ budget, limit_usd, run_cost_usd, estimate_usd }: Cost): number {
  const least = run_cost_usd + estimate_usd
  const most = 2 * Math.max(least, budget === undefined ? limit_usd : 0)
  const step = 10 ** (Math.floor(Math.log10(most)) - 1)
  return Number((Math.ceil(most / step) * step).toPrecision(2))
}
