import type { ReactNode } from 'react'
import type { WebhookEndpoint } from '../../sdk/generated.ts'
import { plural } from '../ui/format.ts'
import { Dot } from '../ui/status.tsx'

/** Whether an endpoint gets events, and how the last attempt went. */
export function WebhookState({ endpoint }: { endpoint: WebhookEndpoint }): ReactNode {
  const { active, disabled_at: disabledAt, consecutive_failures: failures } = endpoint
  if (disabledAt !== null) return <Dot tone="bad">Disabled after failures</Dot>
  if (!active) return <Dot tone="neutral">Off</Dot>
  if (failures > 0) return <Dot tone="warn">{plural(failures, 'event')} failed in a row</Dot>
  return <Dot tone="ok">On</Dot>
}
