import type { ReactNode } from 'react'
import type { WebhookEndpoint } from '../../../sdk/generated.ts'
import { plural } from '../../ui/text/format.ts'
import { Dot } from '../../ui/status.tsx'

/** Whether an endpoint is active, and whether its last attempt succeeded. */
export function WebhookState({ endpoint }: { endpoint: WebhookEndpoint }): ReactNode {
  const {
    active,
    disabled_at: disabledAt,
    consecutive_failures: failures,
    last_delivery_status: status,
  } = endpoint
  if (disabledAt !== null) return <Dot tone="bad">Disabled after failures</Dot>
  if (!active) return <Dot tone="neutral">Off</Dot>
  if (failures > 0) {
    return <Dot tone="bad">Failing: {plural(failures, 'event')} in a row</Dot>
  }
  if (status === null) return <Dot tone="neutral">Not tried yet</Dot>
  if (status < 200 || status > 299) return <Dot tone="bad">Failing</Dot>
  return <Dot tone="ok">Working</Dot>
}
