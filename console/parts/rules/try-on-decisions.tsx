import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { History } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RulesTried, TryRules } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { plural } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'

/** The results of rules for recent decisions about their actions. */
export function TryOnDecisions({ tried }: { tried: TryRules }): ReactNode {
  const { muster, rights } = useSession()
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: (rules: TryRules) => muster.rules.try(rules),
  })
  if (!rights.write) return null
  // A change of the rules clears the last result.
  const isCurrent = JSON.stringify(variables) === JSON.stringify(tried)
  return (
    <div className="grid gap-3">
      <div>
        <Button icon={History} isBusy={isPending} onClick={() => mutate(tried)}>
          Try on past decisions
        </Button>
      </div>
      {isCurrent && error !== null && <Failure error={error} />}
      {isCurrent && data !== undefined && <Tried tried={data} />}
    </div>
  )
}

const mostShown = 20
const outcomeWords = { allow: 'allowed', ask: 'asked about', block: 'blocked' } as const
const decisionWords = {
  approved: 'approved',
  edited: 'changed',
  rejected: 'rejected',
  expired: 'not answered',
} as const

function Tried({ tried }: { tried: RulesTried }): ReactNode {
  const { decisions, allowed, asked, blocked, rejected_allowed: refused } = tried
  if (decisions.length === 0) {
    return (
      <p role="status" className="text-sm text-ink-soft">
        No one has decided about such an action yet.
      </p>
    )
  }
  const differing = decisions.filter(({ decision, outcome }) =>
    outcome === 'allow' ? decision !== 'approved' : outcome === 'block' && decision !== 'rejected',
  )
  return (
    <div role="status" className="grid gap-2 text-sm">
      <p className="text-ink-soft">
        Of the last {plural(decisions.length, 'decision')}, these rules would have allowed {allowed}
        , asked about {asked} and blocked {blocked}.
      </p>
      {refused > 0 && (
        <p className="text-warn">
          {refused} that people rejected or changed would have been allowed.
        </p>
      )}
      {differing.length > 0 && (
        <ul aria-label="Decisions that differ" className="panel divide-y">
          {differing.slice(0, mostShown).map((one) => (
            <li key={one.call_id} className="grid gap-0.5 px-3 py-2">
              <Link to="/runs/$runId" params={{ runId: one.run_id }} className="link truncate">
                {one.summary}
              </Link>
              <span className="text-ink-soft">
                {decisionWords[one.decision]} <Ago at={one.decided_at} />, would be{' '}
                {outcomeWords[one.outcome]}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
