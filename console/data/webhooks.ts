import type { UseQueryResult } from '@tanstack/react-query'
import type { WebhookEndpoint } from '../../sdk/generated.ts'
import { useAnswer, useList } from '../session/api.ts'

export const eventTypes = [
  'run.started',
  'run.waiting_input',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'tool.requested',
  'batch.completed',
  'budget.threshold',
  'budget.reached',
  'schedule.missed',
] as const

export function useWebhooks(): UseQueryResult<WebhookEndpoint[]> {
  return useList(['webhooks'], (muster, options) => muster.webhooks.list(options))
}

export function useWebhook(id: string): UseQueryResult<WebhookEndpoint> {
  return useAnswer(['webhook', id], (muster, options) => muster.webhooks.retrieve(id, options), {
    refetchInterval: 5_000,
  })
}
