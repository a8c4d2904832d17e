import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { WebhookEndpoint } from '../../sdk/generated.ts'

export const eventTypes = [
  'run.started',
  'run.waiting_input',
  'run.completed',
  'run.failed',
] as const

export const webhooksQuery = (muster: Muster) =>
  queryOptions({
    queryKey: ['webhooks'],
    queryFn: async ({ signal }): Promise<WebhookEndpoint[]> => [
      ...(await muster.webhooks.list({}, { signal })),
    ],
  })

export const webhookQuery = (muster: Muster, webhookId: string) =>
  queryOptions({
    queryKey: ['webhook', webhookId],
    queryFn: ({ signal }) => muster.webhooks.retrieve(webhookId, { signal }),
    refetchInterval: 5_000,
  })
