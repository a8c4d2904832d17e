import type { ReactNode } from 'react'
import type { Channel } from '../../../sdk/generated.ts'
import { ManagedRow, TriedState } from '../../parts/managed-row.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { CopyButton } from '../../ui/text/copy.tsx'
import { plural } from '../../ui/text/format.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { Ago } from '../../ui/text/time.tsx'
import { ChannelForm } from './channel-form.tsx'

/** A channel with its state and, for admins, buttons to test, change and delete it. */
export function ChannelRow({ channel }: { channel: Channel }): ReactNode {
  const { id, kind, recipients, slack_channel: place, workflow_ids: workflows } = channel
  const { muster, rights } = useSession()
  return (
    <ManagedRow
      item={channel}
      noun="channel"
      about={
        <>
          {kind === 'email' ? `Email to ${recipients.join(', ')}` : `Slack, ${place ?? ''}`}
          {workflows !== null && ` · ${plural(workflows.length, 'workflow')}`}
        </>
      }
      state={<TriedState item={channel} />}
      needs="administer"
      test={{ label: 'Send a test', run: () => muster.channels.test(id) }}
      setActive={(active) => muster.channels.update(id, { active })}
      remove={() => muster.channels.delete(id)}
      removeWarning="Links in its messages stop working. This cannot be undone."
      refresh={useRefresh(['channels'])}
      renderForm={(close) => <ChannelForm channel={channel} close={close} />}
    >
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
    </ManagedRow>
  )
}
