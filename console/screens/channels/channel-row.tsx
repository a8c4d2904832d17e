import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Channel } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/text/copy.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Dot } from '../../ui/status.tsx'
import { plural } from '../../ui/text/format.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { Ago } from '../../ui/text/time.tsx'
import { ChannelForm } from './channel-form.tsx'

/** A channel with its state; admins test, change and delete it. */
export function ChannelRow({ channel }: { channel: Channel }): ReactNode {
  const { id, name, kind, recipients, slack_channel: place, workflow_ids: workflows } = channel
  const { muster, rights } = useSession()
  const [isEdited, setEdited] = useState(false)
  const refresh = useRefresh(['channels'])
  const test = useMutation({ mutationFn: () => muster.channels.test(id), onSettled: refresh })
  const toggle = useMutation({
    mutationFn: () => muster.channels.update(id, { active: !channel.active }),
    onSuccess: refresh,
  })
  const remove = async (): Promise<void> => {
    await muster.channels.delete(id)
    await refresh()
  }
  return (
    <section aria-label={name} className="grid gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="min-w-0 flex-1 basis-64">
          <span className="block truncate font-medium">{name}</span>
          <span className="block truncate text-sm text-ink-soft">
            {kind === 'email' ? `Email to ${recipients.join(', ')}` : `Slack, ${place ?? ''}`}
            {workflows !== null && ` · ${plural(workflows.length, 'workflow')}`}
          </span>
        </span>
        <span className="text-sm">
          <State channel={channel} />
        </span>
        {rights.administer && (
          <span className="flex flex-wrap gap-2">
            <Button isBusy={test.isPending} onClick={() => test.mutate()}>
              Send a test
            </Button>
            <Button isBusy={toggle.isPending} onClick={() => toggle.mutate()}>
              {channel.active ? 'Pause' : 'Resume'}
            </Button>
            <Button onClick={() => setEdited(true)}>Change</Button>
            <ConfirmButton
              label="Delete"
              title={`Delete ${name}?`}
              action="Delete channel"
              wayOut="Cancel"
              run={remove}
            >
              Links in its messages stop working. This cannot be undone.
            </ConfirmButton>
          </span>
        )}
      </div>
      {channel.state === 'failing' && channel.message !== null && (
        <p className="text-sm text-bad">
          {toLine(channel.message, 500)}{' '}
          {channel.failing_since !== null && (
            <>
              Failing since <Ago at={channel.failing_since} />.
            </>
          )}
        </p>
      )}
      {rights.administer && channel.has_buttons && channel.interactivity_url !== null && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
          <span>Request URL for the Slack app:</span>
          <code className="code break-all">{channel.interactivity_url}</code>
          <CopyButton text={channel.interactivity_url} label="Copy URL" />
        </p>
      )}
      {test.data !== undefined && (
        <p role="status" className={`text-sm ${test.data.ok ? 'text-ok' : 'text-bad'}`}>
          {toLine(test.data.message, 500)}
        </p>
      )}
      {[test.error, toggle.error].map(
        (error, index) => error !== null && <Failure key={index} error={error} />,
      )}
      {isEdited && <ChannelForm channel={channel} close={() => setEdited(false)} />}
    </section>
  )
}

function State({ channel: { active, state } }: { channel: Channel }): ReactNode {
  if (!active) return <Dot tone="neutral">Paused</Dot>
  if (state === 'failing') return <Dot tone="bad">Failing</Dot>
  return state === 'working' ? (
    <Dot tone="ok">Working</Dot>
  ) : (
    <Dot tone="neutral">Not tried yet</Dot>
  )
}
