import { BellRing, Megaphone, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Notification } from '../../../sdk/generated.ts'
import { useAlerts, useChannels, useUndelivered } from '../../data/channels.ts'
import { useSession } from '../../session/session.tsx'
import { OpenForm } from '../../ui/form/open-form.tsx'
import { OpenNew } from '../../ui/form/open-new.tsx'
import { List } from '../../ui/list.tsx'
import { Page, Section, WayBack } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { toLine } from '../../ui/text/invisible.ts'
import { Ago } from '../../ui/text/time.tsx'
import { AlertForm } from './alert-form.tsx'
import { AlertRow } from './alert-row.tsx'
import { ChannelForm } from './channel-form.tsx'
import { ChannelRow } from './channel-row.tsx'

/** Channels for waiting requests, and alerts for problems. */
export function ChannelsScreen(): ReactNode {
  const { rights } = useSession()
  const channels = useChannels()
  const alerts = useAlerts()
  const undelivered = useUndelivered()
  return (
    <Page
      title="Channels"
      above={<WayBack to="/connections" label="Connections" />}
      about="People get an email or a Slack message for each request that waits, and answer from there."
      actions={
        rights.administer && (
          <OpenNew label="New channel">
            {(close, workflowId) => <ChannelForm workflowId={workflowId} close={close} />}
          </OpenNew>
        )
      }
    >
      <List
        label="Channels"
        query={channels}
        empty={
          <Empty icon={Megaphone} title="No channels yet" help="channels">
            <p>
              {rights.administer
                ? 'Create one, and approvers no longer have to watch the inbox.'
                : 'Ask an admin to create one.'}
            </p>
          </Empty>
        }
      >
        {(channel) => <ChannelRow channel={channel} />}
      </List>
      <div className="mt-8">
        <Section
          title="Alerts"
          aside={
            rights.write && (
              <OpenForm icon={Plus} label="New alert">
                {(close) => <AlertForm close={close} />}
              </OpenForm>
            )
          }
        >
          <List
            label="Alerts"
            query={alerts}
            empty={
              <Empty icon={BellRing} title="No alerts yet" help="alerts">
                <p>An alert tells your channels when something goes wrong, such as a failed run.</p>
              </Empty>
            }
          >
            {(alert) => <AlertRow alert={alert} channels={channels.data ?? []} />}
          </List>
        </Section>
      </div>
      {(undelivered.data?.length ?? 0) > 0 && (
        <Section title="Undelivered messages">
          <List label="Undelivered messages" query={undelivered}>
            {(message) => <Undelivered message={message} />}
          </List>
        </Section>
      )}
    </Page>
  )
}

function Undelivered({ message }: { message: Notification }): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
      <span className="font-medium">{message.recipient}</span>
      <span className="min-w-0 flex-1 basis-64 text-bad">
        {toLine(message.error ?? 'It was not sent.', 500)}
      </span>
      <span className="text-ink-faint">
        <Ago at={message.created_at} />
      </span>
    </div>
  )
}
