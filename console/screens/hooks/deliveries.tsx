import { useMutation } from '@tanstack/react-query'
import { Zap } from 'lucide-react'
import type { ReactNode } from 'react'
import type { HookDelivery } from '../../../sdk/generated.ts'
import { useHookDeliveries } from '../../data/hooks.ts'
import { StartedRunLink } from '../../parts/runs/started-run.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { OutcomeList } from '../../parts/resource-list.tsx'
import { useStatus } from '../../ui/status-filter.tsx'
import { Dot } from '../../ui/status.tsx'
import { plural } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'
import { deliveryStates } from './hook-state.tsx'

/** Deliveries of a hook with their results, newest first. */
export function Deliveries({ hookId }: { hookId: string }): ReactNode {
  const chosen = useStatus(deliveryStates)
  const query = useHookDeliveries(hookId, chosen[0])
  return (
    <OutcomeList
      title="Deliveries"
      noun="deliveries"
      query={query}
      states={deliveryStates}
      chosen={chosen}
      empty={{ icon: Zap, title: 'No events yet', help: 'hookDeliveries' }}
    >
      {(delivery) => <Row delivery={delivery} />}
    </OutcomeList>
  )
}

function Row({ delivery }: { delivery: HookDelivery }): ReactNode {
  const { id, hook_id: hookId, status, why, repeats } = delivery
  const { rights, muster } = useSession()
  const refresh = useRefresh(['hook-deliveries', hookId], ['hook', hookId])
  const again = useMutation({
    mutationFn: () => muster.hooks.send_again(hookId, id),
    onSuccess: refresh,
  })
  const { tone, word } = deliveryStates[status]
  const canSend = rights.write && status !== 'refused' && status !== 'pending'
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
      <span className="w-24">
        <Dot tone={tone} isLive={status === 'pending'}>
          {word}
        </Dot>
      </span>
      <span id={id} className="min-w-40 flex-1">
        <Ago at={delivery.received_at} />
        {delivery.event_type !== null && (
          <span className="ml-3 font-mono text-ink-soft">{delivery.event_type}</span>
        )}
        {repeats > 0 && <span className="text-ink-faint"> · {plural(repeats, 'repeat')}</span>}
      </span>
      <StartedRunLink started={delivery} />
      {canSend && (
        <Button aria-describedby={id} isBusy={again.isPending} onClick={() => again.mutate()}>
          Send again
        </Button>
      )}
      {why !== null && <p className="said basis-full text-ink-soft">{why}</p>}
      {again.error !== null && <Failure error={again.error} />}
    </div>
  )
}
