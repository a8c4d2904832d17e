import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Alert, Channel } from '../../../sdk/generated.ts'
import { alertCauses } from '../../data/channels.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Dot } from '../../ui/status.tsx'
import { plural } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'
import { AlertForm } from './alert-form.tsx'

/** An alert with its cause and when it was told last. */
export function AlertRow({ alert, channels }: { alert: Alert; channels: Channel[] }): ReactNode {
  const { id, name, on, channel_ids: channelIds, last_fired_at: firedAt } = alert
  const { muster, rights } = useSession()
  const [isEdited, setEdited] = useState(false)
  const refresh = useRefresh(['alerts'])
  const toggle = useMutation({
    mutationFn: () => muster.alerts.update(id, { active: !alert.active }),
    onSuccess: refresh,
  })
  const remove = async (): Promise<void> => {
    await muster.alerts.delete(id)
    await refresh()
  }
  const names = channels.filter((one) => channelIds?.includes(one.id)).map((one) => one.name)
  return (
    <section aria-label={name} className="grid gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="min-w-0 flex-1 basis-64">
          <span className="block truncate font-medium">{name}</span>
          <span className="block truncate text-sm text-ink-soft">
            {alertCauses[on]} · {channelIds === null ? 'all channels' : names.join(', ')} · at most
            every {plural(alert.at_most_every_minutes, 'minute')}
          </span>
        </span>
        <span className="text-sm text-ink-soft">
          {firedAt === null ? 'Not told yet' : <Ago at={firedAt} />}
        </span>
        <span className="text-sm">
          {alert.active ? <Dot tone="ok">On</Dot> : <Dot tone="neutral">Paused</Dot>}
        </span>
        {rights.write && (
          <span className="flex flex-wrap gap-2">
            <Button isBusy={toggle.isPending} onClick={() => toggle.mutate()}>
              {alert.active ? 'Pause' : 'Resume'}
            </Button>
            <Button onClick={() => setEdited(true)}>Change</Button>
            <ConfirmButton
              label="Delete"
              title={`Delete ${name}?`}
              action="Delete alert"
              wayOut="Cancel"
              run={remove}
            >
              It tells nothing any more. This cannot be undone.
            </ConfirmButton>
          </span>
        )}
      </div>
      {toggle.error !== null && <Failure error={toggle.error} />}
      {isEdited && <AlertForm alert={alert} close={() => setEdited(false)} />}
    </section>
  )
}
