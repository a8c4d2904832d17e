import type { WebhookEndpoint } from './schema.ts'

/** What the audit tells of an endpoint. Some receivers know their sender by the query of the address. */
export function toAudited({ url, ...endpoint }: WebhookEndpoint): object {
  const { description, events, workflow_id, active } = endpoint
  const { origin, pathname, search } = new URL(url)
  const shown = `${origin}${pathname}${search === '' ? '' : '?…'}`
  return { url: shown, description, events, workflow_id, active }
}
