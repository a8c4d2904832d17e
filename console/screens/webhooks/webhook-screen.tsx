import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { Found } from '../../ui/found.tsx'
import { Page, WayBack } from '../../ui/page.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { useWebhook } from '../../data/webhooks.ts'
import { WebhookState } from './webhook-state.tsx'

/** One endpoint with its deliveries. */
export function WebhookScreen(): ReactNode {
  const { webhookId } = useParams({ from: '/webhooks/$webhookId' })
  const { rights } = useSession()
  const query = useWebhook(webhookId)
  return (
    <Found query={query} tab="Webhook" lines={8}>
      {(endpoint) => (
        <Page
          title={endpoint.description ?? endpoint.url}
          tab="Webhook"
          above={<WayBack to="/webhooks" label="Webhooks" />}
          about={
            <div className="grid gap-1">
              {endpoint.description !== null && <p className="wrap-anywhere">{endpoint.url}</p>}
              <p className="flex flex-wrap gap-x-3">
                <WebhookState endpoint={endpoint} />
                <span className="font-mono text-xs leading-5">{endpoint.events.join(' ')}</span>
              </p>
            </div>
          }
          actions={rights.write && <EndpointActions endpoint={endpoint} />}
        >
          {endpoint.disabled_at !== null && (
            <p role="note" className="mb-6 rounded-md bg-bad-soft px-4 py-3 text-bad">
              {endpoint.disabled_reason ?? 'It was disabled'} (<Ago at={endpoint.disabled_at} />
              ). Turn it on again when it listens; what failed can be sent again below.
            </p>
          )}
          <Deliveries webhookId={webhookId} isOn={endpoint.active} />
        </Page>
      )}
    </Found>
  )
}
