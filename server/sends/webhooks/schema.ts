import Type, { type Static } from 'typebox'
import {
  Nullable,
  NullableText,
  NullableTimestamp,
  optional,
  Ref,
  StrictObject,
  StringEnum,
  Timestamp,
  Url,
} from '../../wire-types.ts'

const eventTypes = [
  'run.started',
  'run.completed',
  'run.failed',
  'run.waiting_input',
  'run.cancelled',
  'tool.requested',
  'batch.completed',
  'thread.message',
  'budget.threshold',
  'budget.reached',
  'schedule.missed',
] as const
export type WebhookEventType = (typeof eventTypes)[number]

const given = {
  url: Url(
    'Absolute https URL on a publicly reachable host, without credentials; http in networks that the ' +
      'operator allows.',
  ),
  description: Nullable(Type.String({ maxLength: 200, description: 'Display name.' })),
  events: Type.Array(StringEnum(eventTypes, { description: 'An event type.' }), {
    minItems: 1,
    maxItems: 100,
    description:
      'Subscribed event types; duplicates are ignored. A cancelled run is sent as `run.cancelled` if that is ' +
      'subscribed to, and as `run.failed` otherwise.',
  }),
  workflow_id: Nullable(
    Type.String({
      maxLength: 100,
      description: 'Only runs of this workflow are delivered; null means all.',
    }),
  ),
}

const fields = {
  id: Type.String({ description: 'Endpoint id.' }),
  ...given,
  active: Type.Boolean({ description: 'An inactive endpoint receives nothing.' }),
  consecutive_failures: Type.Integer({
    description: 'Events that failed every attempt since the last success.',
  }),
  disabled_at: NullableTimestamp('When the endpoint was disabled automatically.'),
  disabled_reason: NullableText('Why it was disabled automatically.'),
  last_delivery_at: NullableTimestamp('Most recent attempt.'),
  last_delivery_status: Nullable(
    Type.Integer({ description: 'HTTP status of that attempt; 0 means no response.' }),
  ),
  created_at: Timestamp('When the endpoint was created.'),
  updated_at: Timestamp('When the endpoint was last changed.'),
}

export const WebhookEndpoint = Type.Object(fields, {
  $id: 'WebhookEndpoint',
  description: 'A URL that receives signed events.',
})
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

export const WebhookEndpointWithSecret = Type.Object(
  { ...fields, secret: Type.String({ description: 'Signing secret, shown only once.' }) },
  { $id: 'WebhookEndpointWithSecret', description: 'An endpoint with its signing secret.' },
)
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecret>

const { url, events } = given

export const CreateWebhook = StrictObject(
  { ...optional(given), url, events },
  {
    $id: 'CreateWebhook',
    examples: [{ url: 'https://example.com/muster', events: ['run.completed', 'run.failed'] }],
    description: 'The endpoint to create.',
  },
)
export type CreateWebhook = Static<typeof CreateWebhook>

const active = Type.Boolean({ description: 'False pauses deliveries; true resets the failures.' })

export const UpdateWebhook = StrictObject(optional({ ...given, active }), {
  $id: 'UpdateWebhook',
  examples: [{ active: false }],
  description: 'The fields to update.',
})
export type UpdateWebhook = Static<typeof UpdateWebhook>

export const DeliveryAttempt = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'When the attempt began.' }),
    response_status: Type.Integer({ description: 'HTTP status; 0 means no response.' }),
    response_body: Type.String({ description: 'The first 1,000 characters of the response.' }),
    duration_ms: Type.Integer({ description: 'How long it took, in milliseconds.' }),
    error: NullableText('Why it failed; null when it succeeded.'),
    trigger: StringEnum(['scheduled', 'manual'] as const, { description: 'What triggered it.' }),
  },
  { $id: 'DeliveryAttempt', description: 'One delivery attempt.' },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const

const deliveryFields = {
  id: Type.String({ description: 'Delivery id.' }),
  event_id: Type.String({ description: 'Event id, sent as `webhook-id` by every attempt.' }),
  event_type: Type.String({ description: 'Event type; `webhook.test` for a test event.' }),
  run_id: NullableText('The run; null if the event is not about a single run.'),
  workflow: Nullable(
    Type.Object(
      {
        id: Type.String({ description: 'Workflow id.' }),
        name: NullableText('Its name when the event happened; null if it had been deleted.'),
      },
      { description: 'The workflow of the run or batch; null for events that are about none.' },
    ),
  ),
  status: StringEnum(deliveryStatuses, { description: 'Status of the delivery.' }),
  attempts: Type.Array(Ref(DeliveryAttempt), { description: 'The attempts, oldest first.' }),
  next_attempt_at: NullableTimestamp('When it is tried next; null if there are no more attempts.'),
  created_at: Timestamp('When the event happened.'),
}

export const WebhookDelivery = Type.Object(deliveryFields, {
  $id: 'WebhookDelivery',
  description: 'The delivery of one event to one endpoint.',
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookDeliveryWithBody = Type.Object(
  {
    ...deliveryFields,
    body: Type.String({ description: 'The exact JSON that every attempt sends.' }),
  },
  { $id: 'WebhookDeliveryWithBody', description: 'A delivery with its body.' },
)
export type WebhookDeliveryWithBody = Static<typeof WebhookDeliveryWithBody>
