import { Link } from '@tanstack/react-router'
import { Plus, Webhook as Sign } from 'lucide-react'
import type { ReactNode } from 'react'
import type { WebhookEndpoint } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { rowLook } from '../../ui/list.tsx'
import { OpenForm } from '../../ui/form/open-form.tsx'
import { WayBack } from '../../ui/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { useWebhooks } from '../../data/webhooks.ts'
import { WebhookState } from './webhook-state.tsx'

export function WebhooksScreen(): ReactNode {
  const { rights } = useSession()
  const query = useWebhooks()
  const create = rights.write && (
    <OpenForm kind="primary" icon={Plus} label="New endpoint">
      {(close) => <EndpointForm close={close} />}
    </OpenForm>
  )
  return (
    <ResourceList
      title="Webhooks"
      above={<WayBack to="/connections" label="Connections" />}
      about="URLs that receive signed events when runs change. Failed deliveries are retried."
      actions={create}
      label="Endpoints"
      query={query}
      textOf={({ url, description }) => [url, description].join(' ')}
      empty={{
        icon: Sign,
        title: 'No endpoints yet',
        help: 'webhooks',
        text: 'Enter an address to receive events when runs start, wait, complete or fail.',
      }}
    >
      {(endpoint) => <Row endpoint={endpoint} />}
    </ResourceList>
  )
}

function Row({ endpoint }: { endpoint: WebhookEndpoint }): ReactNode {
  const {
    id,
    url,
    description,
    events,
    last_delivery_at: lastAt,
    last_delivery_status: status,
  } = endpoint
  return (
    <Link to="/webhooks/$webhookId" params={{ webhookId: id }} className={rowLook}>
      <span className="min-w-0 flex-1 basis-64">
        <span className="block truncate font-medium">{description ?? url}</span>
        <span className="block truncate text-sm text-ink-soft">
          {description === null ? '' : `${url} · `}
          {events.join(', ')}
        </span>
      </span>
      <span className="text-sm text-ink-soft">
        <WebhookState endpoint={endpoint} />
      </span>
      <span className="text-sm text-ink-faint sm:w-44 sm:text-right">
        {lastAt === null ? (
          'nothing sent yet'
        ) : (
          <>
            {status === 0 ? 'no answer' : `answered ${status}`} <Ago at={lastAt} />
          </>
        )}
      </span>
    </Link>
  )
}
