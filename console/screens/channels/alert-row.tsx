import type { ReactNode } from 'react'
import type { Alert, Channel } from '../../../sdk/generated.ts'
import { alertCauses } from '../../data/channels.ts'
import { ManagedRow } from '../../parts/managed-row.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Dot } from '../../ui/status.tsx'
import { plural } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'
import { AlertForm } from './alert-form.tsx'

/** An alert with its cause and when it was last sent. */
export function AlertRow({ alert, channels }: { alert: Alert; channels: Channel[] }): ReactNode {
  const { id, on, channel_ids: channelIds, last_fired_at: firedAt } = alert
  const { muster } = useSession()
  const names = channels.filter((one) => channelIds?.includes(one.id)).map((one) => one.name)
  return (
    <ManagedRow
      item={alert}
      noun="alert"
      about={
        <>
          {alertCauses[on]} · {channelIds === null ? 'all channels' : names.join(', ')} · at most
          every {plural(alert.at_most_every_minutes, 'minute')}
        </>
      }
      state={
        <>
          <span className="text-ink-soft">
            {firedAt === null ? 'Never sent' : <Ago at={firedAt} />}
          </span>
          {alert.active ? <Dot tone="ok">On</Dot> : <Dot tone="neutral">Paused</Dot>}
        </>
      }
      needs="write"
      setActive={(active) => muster.alerts.update(id, { active })}
      remove={() => muster.alerts.delete(id)}
      removeWarning="No messages are sent for it any more. This cannot be undone."
      refresh={useRefresh(['alerts'])}
      renderForm={(close) => <AlertForm alert={alert} close={close} />}
    />
  )
}
