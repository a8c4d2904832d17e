import Type, { type Static } from 'typebox'
import { TagsToSet } from '../../engine/wire/tags.ts'
import {
  Nullable,
  NullableObject,
  NullableText,
  NullableTimestamp,
  optional,
  Ref,
  ShownUrl,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
} from '../../wire-types.ts'
import { startedFields, triggerFields, triggerInput } from '../../workflows/trigger-fields.ts'
import { schemeNames } from './schemes.ts'

const dedupes = ['event', 'none'] as const

const headerName = (description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9_-]+$', description }))

/** Settings that turn an event into a run. */
const routing = {
  filter: Nullable(
    Type.String({
      maxLength: 2_000,
      description:
        'Only events for which this CEL condition is true start a run: `body.action == "opened"`. It can use ' +
        '`body`, `headers`, `event.id`, `event.type` and `hook.name`. Null for all events.',
    }),
  ),
  input: Nullable(
    Type.String({
      maxLength: 16_000,
      description:
        'Input of each run, a Liquid template: `{{ body.issue.title }}`, `{{ headers["x-github-event"] }}`, `{{ ' +
        'event.id }}`. Without `input` and `data`, the run gets the body itself.',
    }),
  ),
  data: NullableObject(
    'Data of each run; texts in it are Liquid templates. A text that is a single path, such as `"{{ ' +
      'body.issue }}"`, becomes the value itself: a number stays a number, an object an object.',
  ),
  files: Type.Array(
    Type.String({ minLength: 1, maxLength: 500, description: 'Template of a file id.' }),
    {
      maxItems: 20,
      description:
        'Templates of ids of files that were uploaded before; empty results are omitted.',
    },
  ),
  tags: Type.Unsafe<Record<string, string>>({
    ...TagsToSet,
    additionalProperties: { type: 'string', maxLength: 500 },
    description: 'Tags of each run, up to 16 pairs; their values are Liquid templates.',
  }),
}

const given = {
  ...triggerInput,
  signature_header: headerName(
    '`hmac_sha256` only: the header with the signature, in hexadecimal digits or base64, with or without ' +
      '`sha256=`; `X-Signature-256` by default.',
  ),
  event_id_header: headerName(
    "`hmac_sha256` and `none` only: the header with the event's id; without it, the same body is the same " +
      'event.',
  ),
  tolerance_seconds: Type.Integer({
    minimum: 10,
    maximum: 86_400,
    description:
      'Maximum age of a signature in seconds, if the scheme signs the time (`standard_webhooks`, `stripe`, ' +
      '`slack`); 300 by default.',
  }),
  dedupe: StringEnum(dedupes, {
    description:
      '`event`, the default: the same event within 72 hours starts one run. Without an event id, the same body is ' +
      'the same event. `none`: each request is an event of its own, also if the sender repeats it.',
  }),
  ...routing,
}

const scheme = StringEnum(schemeNames, {
  description:
    'How senders sign requests: like Standard Webhooks, GitHub, Stripe or Slack, with an HMAC-SHA256 of the ' +
    'body, or not at all. With `none`, anyone who knows the URL can send.',
})

const secret = Type.String({
  minLength: 8,
  maxLength: 500,
  pattern: '^[^\\s\\x00-\\x1f\\x7f](?:[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
  writeOnly: true,
  description:
    'Signing secret, if the sender chose it: Stripe and Slack show theirs. For `standard_webhooks`, `whsec_` and ' +
    'at least 24 bytes as base64.',
})

const status = StringEnum(['active', 'paused'] as const, {
  description: 'A paused hook answers 202 and stores nothing.',
})

export const deliveryStatuses = [
  'pending',
  'started',
  'filtered',
  'failed',
  'answered',
  'refused',
] as const

const deliveryFields = {
  id: Type.String({ description: 'Delivery id.' }),
  hook_id: Type.String({ description: 'The hook.' }),
  event_id: NullableText("The sender's event id; null if it has none."),
  event_type: NullableText('Type of the event, such as `issues`; null if it has none.'),
  status: StringEnum(deliveryStatuses, {
    description:
      '`pending`: being routed, or waiting, see `why`. `started`: it started a run. `filtered`: it did not pass the filter. `failed`: ' +
      'it started no run, see `why`. `answered`: it only verified the URL. `refused`: its signature was missing ' +
      'or wrong.',
  }),
  ...startedFields,
  repeats: Type.Integer({ description: 'How often the same event was repeated within 72 hours.' }),
  content_type: Type.String({ description: 'Media type given by the sender; may be empty.' }),
  bytes: Type.Integer({ description: 'Size of the body; 0 for one that was refused.' }),
  received_at: Timestamp('When it was received.'),
}

export const HookDelivery = Type.Object(deliveryFields, {
  $id: 'HookDelivery',
  description: 'One event that was sent to a hook, with its outcome.',
})
export type HookDelivery = Static<typeof HookDelivery>

export const HookDeliveryWithBody = Type.Object(
  {
    ...deliveryFields,
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Headers, without signatures and credentials.',
    }),
    body: Type.String({ description: 'The body as text; empty for one that was refused.' }),
  },
  { $id: 'HookDeliveryWithBody', description: 'A delivery with its headers and body.' },
)
export type HookDeliveryWithBody = Static<typeof HookDeliveryWithBody>

const ownFields = {
  id: Type.String({ description: 'Hook id.' }),
  ...triggerFields,
  scheme,
  signature_header: NullableText('Header of the signature; null for the default.'),
  event_id_header: NullableText('Header of the event id; null for none.'),
  tolerance_seconds: Type.Integer({ description: 'Maximum age of a signature in seconds.' }),
  dedupe: StringEnum(dedupes, {
    description:
      'Whether the same event within 72 hours starts one run (`event`) or each request one.',
  }),
  filter: NullableText('CEL condition; null for all events.'),
  input: NullableText("Template of each run's input."),
  data: NullableObject('Data of each run, with templates.'),
  files: Type.Array(Type.String({ description: 'Template of a file id.' }), {
    description: "Templates of each run's files.",
  }),
  tags: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: "Templates of each run's tags.",
  }),
  status,
  previous_secret_expires_at: NullableTimestamp(
    'Until when the previous secret is also accepted; null without one.',
  ),
  created_at: Timestamp('When it was created.'),
  updated_at: Timestamp('When it was last changed.'),
}

/** Fields that are stored in the API's form. */
export const hookColumns = Object.keys(ownFields)

const shownFields = {
  ...ownFields,
  url: Nullable(
    ShownUrl(
      'URL to send events to; null for a viewer or approver, because with the scheme `none` the URL is enough ' +
        'to send.',
    ),
  ),
  has_secret: Type.Boolean({
    description: 'Whether there is a secret; without one, all requests are refused.',
  }),
  last_delivery: Type.Unsafe<HookDelivery | null>({
    anyOf: [Ref(HookDelivery), { type: 'null' }],
    description: 'The newest delivery; null before the first.',
  }),
}

export const Hook = Type.Object(shownFields, {
  $id: 'Hook',
  description: 'A URL to which another service sends events that start runs.',
})
export type Hook = Static<typeof Hook>

export const HookWithSecret = Type.Object(
  {
    ...shownFields,
    secret: NullableText(
      'The generated secret, shown only once; null if you gave it or there is none.',
    ),
  },
  { $id: 'HookWithSecret', description: 'A hook with its generated secret.' },
)
export type HookWithSecret = Static<typeof HookWithSecret>

export const CreateHook = StrictObject(
  { ...optional({ ...given, secret, status }), workflow_id: given.workflow_id, scheme },
  {
    $id: 'CreateHook',
    examples: [
      {
        name: 'New issues',
        workflow_id: 'wf_01ktbz3v9se0c9x1hm8q5gkxvn',
        scheme: 'github',
        filter: 'event.type == "issues" && body.action == "opened"',
        input: '{{ body.issue.title }}',
      },
    ],
    description: 'The hook to create.',
  },
)
export type CreateHook = Static<typeof CreateHook>

export const UpdateHook = StrictObject(optional({ ...given, status }), {
  $id: 'UpdateHook',
  examples: [{ status: 'paused' }],
  description: 'The fields to update.',
})
export type UpdateHook = Static<typeof UpdateHook>

export const RotateHookSecret = StrictObject(optional({ secret }), {
  $id: 'RotateHookSecret',
  examples: [{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
  description: 'The new secret; generated if omitted.',
})
export type RotateHookSecret = Static<typeof RotateHookSecret>

export const PreviewHook = StrictObject(
  optional({
    hook_id: Text(80, 'A hook whose fields are used if this request omits them.'),
    delivery_id: Text(80, 'A delivery of that hook, instead of `body`.'),
    body: Type.String({ maxLength: 500_000, description: 'A sample body.' }),
    content_type: Type.String({
      maxLength: 200,
      description: 'Its media type; `application/json` by default.',
    }),
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: 50,
      propertyNames: { type: 'string', maxLength: 200, description: 'A name.' },
      additionalProperties: { type: 'string', maxLength: 1_000, description: 'A value.' },
      description: 'Headers of the event.',
    }),
    ...routing,
  }),
  {
    $id: 'PreviewHook',
    examples: [
      {
        body: '{"action":"opened","issue":{"title":"It is slow"}}',
        filter: 'body.action == "opened"',
        input: '{{ body.issue.title }}',
      },
    ],
    description: 'An event, with the filter and templates to test on it.',
  },
)
export type PreviewHook = Static<typeof PreviewHook>

export const HookPreview = Type.Object(
  {
    passes: Nullable(
      Type.Boolean({
        description: 'Whether the event passes the filter; null if the filter fails.',
      }),
    ),
    run: Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'The input of the run, as the body of a trigger. Null if a template fails.',
    }),
    problems: Type.Array(
      Type.Object(
        {
          field: Type.String({ description: 'Invalid field, such as `filter`.' }),
          why: Type.String({ description: 'The problem and its position.' }),
        },
        { description: 'A problem.' },
      ),
      { description: 'Why the delivery would fail.' },
    ),
    values: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'The values available to filter and templates: `body`, `headers`, `event`, `hook`.',
    }),
  },
  { $id: 'HookPreview', description: 'The result of a filter and templates for an event.' },
)
export type HookPreview = Static<typeof HookPreview>
