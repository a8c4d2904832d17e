import type { DeliveryAttempt, WebhookDelivery, WebhookEndpoint } from '../../sdk/index.ts'
import { duration, shortTime } from '../format.ts'
import { clean, fields, oneLine, table } from '../output.ts'

export function listEndpoints(endpoints: WebhookEndpoint[]): string {
  const columns = ['id', 'status', 'failures', 'last answer', 'events', 'workflow', 'url'] as const
  return table(endpoints, columns, {
    status: statusOf,
    failures: (endpoint) => endpoint.consecutive_failures,
    'last answer': lastAnswer,
    events: ({ events }) => events.map((event) => event.replace('run.', '')),
    workflow: (endpoint) => endpoint.workflow_id ?? 'all',
  })
}

export function listDeliveries(deliveries: WebhookDelivery[]): string {
  const columns = [
    'id',
    'event',
    'status',
    'created_at',
    'answers',
    'next',
    'run_id',
    'workflow',
    'why',
  ] as const
  return table(deliveries, columns, {
    event: (delivery) => delivery.event_type,
    answers: ({ attempts }) => answers(attempts),
    next: ({ next_attempt_at: at }) => at && shortTime(at),
    workflow: ({ workflow }) => workflow?.name ?? '',
    why: ({ attempts }) => attempts.at(-1)?.error ?? '',
  })
}

export function describeWithBody(delivery: WebhookDelivery & { body: string }): string {
  return `${describeDelivery(delivery)}\n\n${clean(delivery.body)}`
}

/** An endpoint, with its secret if the response has it. */
export function describeEndpoint(endpoint: WebhookEndpoint & { secret?: string }): string {
  const first = ['id', 'url', 'description', 'events', 'workflow', 'status'] as const
  return fields(endpoint, [...first, 'disabled', 'failures', 'last answer', 'secret'], {
    workflow: ({ workflow_id: id }) => id ?? 'all',
    status: statusOf,
    disabled: ({ disabled_at: at, disabled_reason: why }) => at && `${shortTime(at)}: ${why ?? ''}`,
    failures: ({ consecutive_failures: count }) => `${count} events in a row`,
    'last answer': lastAnswer,
    secret: ({ secret }) => secret && `${secret}  (shown only once)`,
  })
}

/** A delivery with its last attempt. */
export function describeDelivery(delivery: WebhookDelivery): string {
  const attempt = delivery.attempts.at(-1)
  const body = attempt?.response_body
  return fields(
    delivery,
    ['delivery', 'event', 'workflow', 'status', 'answer', 'why', 'body', 'next_attempt_at'],
    {
      delivery: ({ id }) => id,
      event: ({ event_type: type, event_id: id }) => `${type}  ${id}`,
      workflow: ({ workflow }) => workflow?.name,
      answer: () =>
        attempt && `${answer(attempt.response_status)} in ${duration(attempt.duration_ms)}`,
      why: () => attempt?.error,
      body: () => (body ? oneLine(body, 200) : undefined),
    },
  )
}

const shownAnswers = 8

/** The latest statuses, such as `500, 500, 204`. */
function answers(attempts: DeliveryAttempt[]): string {
  if (attempts.length === 0) return '–'
  const latest = attempts.slice(-shownAnswers).map((attempt) => answer(attempt.response_status))
  return `${attempts.length > shownAnswers ? '… ' : ''}${latest.join(', ')}`
}

function answer(status: number): string {
  return status === 0 ? 'none' : String(status)
}

function statusOf(endpoint: WebhookEndpoint): string {
  const { active, disabled_at: disabledAt } = endpoint
  if (active) return isFailing(endpoint) ? 'failing' : 'active'
  return disabledAt === null ? 'paused' : 'disabled'
}

/** Whether the last attempt failed, or whole events have failed since the last success. */
function isFailing({
  consecutive_failures: failures,
  last_delivery_status: status,
}: WebhookEndpoint): boolean {
  return failures > 0 || (status !== null && (status < 200 || status > 299))
}

function lastAnswer(endpoint: WebhookEndpoint): string {
  const { last_delivery_at: at, last_delivery_status: status } = endpoint
  return at === null || status === null ? '–' : `${answer(status)} at ${shortTime(at)}`
}
