import type { DeliveryAttempt, WebhookDelivery, WebhookEndpoint } from '../../sdk/index.ts'
import { duration, shortTime } from '../format.ts'
import { fields, oneLine, table } from '../output.ts'

/** Endpoints and deliveries in words. */

export function endpointTable(endpoints: WebhookEndpoint[]): string {
  return table(
    ['ID', 'STATUS', 'FAILURES', 'LAST ANSWER', 'EVENTS', 'WORKFLOW', 'URL'],
    endpoints.map((endpoint) => [
      endpoint.id,
      statusOf(endpoint),
      String(endpoint.consecutive_failures),
      lastAnswer(endpoint),
      endpoint.events.map((event) => event.replace('run.', '')).join(', '),
      endpoint.workflow_id ?? 'all',
      endpoint.url,
    ]),
  )
}

export function describeEndpoint(endpoint: WebhookEndpoint, secret?: string): string {
  const { disabled_at: disabledAt, disabled_reason: reason } = endpoint
  return fields([
    ['id', endpoint.id],
    ['url', endpoint.url],
    ['description', endpoint.description],
    ['events', endpoint.events.join(', ')],
    ['workflow', endpoint.workflow_id ?? 'all'],
    ['status', statusOf(endpoint)],
    ['disabled', disabledAt && `${shortTime(disabledAt)}: ${reason ?? ''}`],
    ['failures', `${endpoint.consecutive_failures} events in a row`],
    ['last answer', lastAnswer(endpoint)],
    ['secret', secret],
  ])
}

export function deliveryTable(deliveries: WebhookDelivery[]): string {
  return table(
    ['ID', 'EVENT', 'STATUS', 'CREATED', 'ANSWERS', 'NEXT', 'RUN', 'WHY'],
    deliveries.map((delivery) => [
      delivery.id,
      delivery.event_type,
      delivery.status,
      shortTime(delivery.created_at),
      answers(delivery.attempts),
      delivery.next_attempt_at === null ? '–' : shortTime(delivery.next_attempt_at),
      delivery.run_id ?? '–',
      oneLine(delivery.attempts.at(-1)?.error ?? ''),
    ]),
  )
}

/** A delivery with its last attempt. */
export function describeDelivery(delivery: WebhookDelivery): string {
  const { next_attempt_at: nextAt } = delivery
  const attempt = delivery.attempts.at(-1)
  return fields([
    ['delivery', delivery.id],
    ['event', `${delivery.event_type}  ${delivery.event_id}`],
    ['status', delivery.status],
    ['answer', attempt && `${answer(attempt.response_status)} in ${duration(attempt.duration_ms)}`],
    ['why', attempt?.error],
    ['body', attempt?.response_body ? oneLine(attempt.response_body, 200) : undefined],
    ['next attempt', nextAt && shortTime(nextAt)],
  ])
}

const shownAnswers = 8

/** `500, 500, 204`, the latest ones. */
function answers(attempts: DeliveryAttempt[]): string {
  if (attempts.length === 0) return '–'
  const latest = attempts.slice(-shownAnswers).map((attempt) => answer(attempt.response_status))
  return `${attempts.length > shownAnswers ? '… ' : ''}${latest.join(', ')}`
}

function answer(status: number): string {
  return status === 0 ? 'none' : String(status)
}

function statusOf({ active, disabled_at: disabledAt }: WebhookEndpoint): string {
  if (active) return 'active'
  return disabledAt === null ? 'paused' : 'disabled'
}

function lastAnswer(endpoint: WebhookEndpoint): string {
  const { last_delivery_at: at, last_delivery_status: status } = endpoint
  return at === null || status === null ? '–' : `${answer(status)} at ${shortTime(at)}`
}
