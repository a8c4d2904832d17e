import Type, { type Static } from 'typebox'
import { TagsToSet } from '../engine/wire/tags.ts'
import {
  Nullable,
  NullableObject,
  NullableText,
  NullableTimestamp,
  optional,
  Ref,
  StrictObject,
  StringEnum,
  Text,
  Timestamp,
} from '../wire-types.ts'
import { startedFields, triggerFields, triggerInput } from '../workflows/trigger-fields.ts'
import { schemeNames } from './schemes.ts'

const headerName = (description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9_-]+$', description }))

/** Settings that turn an event into a run. */
const routing = {
  filter: Nullable(
    Type.String({
      maxLength: 2_000,
      description:
        'Only events for which this CEL condition is true start a run: `body.action == "opened"`. It sees `body`, ' +
        '`headers`, `event.id`, `event.type` and `hook.name`. Null for all events.',
    }),
  ),
  input: Nullable(
    Type.String({
      maxLength: 16_000,
      description:
        'Text of each run, a Liquid template: `{{ body.issue.title }}`, `{{ headers["x-github-event"] }}`, ' +
        '`{{ event.id }}`. Without `input` and `data` a run gets the body itself.',
    }),
  ),
  data: NullableObject(
    'Data of each run; texts in it are Liquid templates. A text that is one path, such as `"{{ body.issue }}"`, ' +
      'becomes the value itself: a number stays a number, an object an object.',
  ),
  files: Type.Array(
    Type.String({ minLength: 1, maxLength: 500, description: 'Template of a file id.' }),
    {
      maxItems: 20,
      description:
        'Templates of ids of files that were uploaded before; those that are empty are left out.',
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
    '`hmac_sha256` only: the header of the signature, in hexadecimal digits or base64, with or without `sha256=`; ' +
      '`X-Signature-256` by default.',
  ),
  event_id_header: headerName(
    '`hmac_sha256` and `none` only: the header of the id of an event; without it the same body is the same event.',
  ),
  tolerance_seconds: Type.Integer({
    minimum: 10,
    maximum: 86_400,
    description:
      'How old a signature may be, where the scheme signs the time (`standard_webhooks`, `stripe`, `slack`); 300 by default.',
  }),
  ...routing,
}

const scheme = StringEnum(schemeNames, {
  description:
    'How senders sign: as Standard Webhooks, GitHub, Stripe or Slack do, by an HMAC-SHA256 of the body, or not at all. ' +
    'With `none` whoever knows the address can send.',
})

const secret = Type.String({
  minLength: 8,
  maxLength: 500,
  pattern: '^[\\x21-\\x7e]+$',
  writeOnly: true,
  description: 'Secret of the signatures, where the sender chose it: Stripe and Slack show theirs.',
})

const status = StringEnum(['active', 'paused'] as const, {
  description: 'A paused hook answers 202 and keeps nothing.',
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
  event_id: NullableText('Id that the sender gave the event; null where it gave none.'),
  event_type: NullableText('Type of the event, such as `issues`; null where it says none.'),
  status: StringEnum(deliveryStatuses, {
    description:
      '`pending` is being routed, `started` made a run, `filtered` did not pass the filter, `failed` says why there is ' +
      'no run, `answered` only checked the address, `refused` was not signed as it has to be.',
  }),
  ...startedFields,
  repeats: Type.Integer({ description: 'How often the same event came again, within 72 hours.' }),
  content_type: Type.String({ description: 'Media type that the sender named; may be empty.' }),
  bytes: Type.Integer({ description: 'Size of the body; 0 for one that was refused.' }),
  received_at: Timestamp('When it came.'),
}

export const HookDelivery = Type.Object(deliveryFields, {
  $id: 'HookDelivery',
  description: 'One event that was sent to a hook, and what became of it.',
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
  { $id: 'HookDeliveryWithBody', description: 'A delivery with what was sent.' },
)
export type HookDeliveryWithBody = Static<typeof HookDeliveryWithBody>

const ownFields = {
  id: Type.String({ description: 'Hook id.' }),
  ...triggerFields,
  scheme,
  signature_header: NullableText('Header of the signature; null for the usual one.'),
  event_id_header: NullableText('Header of the event id; null for none.'),
  tolerance_seconds: Type.Integer({ description: 'How old a signature may be.' }),
  filter: NullableText('CEL condition; null for all events.'),
  input: NullableText('Template of the text of each run.'),
  data: NullableObject('Data of each run, with templates.'),
  files: Type.Array(Type.String({ description: 'Template of a file id.' }), {
    description: 'Templates of the files of each run.',
  }),
  tags: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Templates of the tags of each run.',
  }),
  status,
  previous_secret_expires_at: NullableTimestamp(
    'Until when the secret before is taken as well; null without one.',
  ),
  created_at: Timestamp('When it was created.'),
  updated_at: Timestamp('When it was last changed.'),
}

/** Fields that are stored in the API's form. */
export const hookColumns = Object.keys(ownFields)

const shownFields = {
  ...ownFields,
  url: NullableText(
    'Address to send events to; null for a viewer or approver, since with the scheme `none` it is all that is needed.',
  ),
  has_secret: Type.Boolean({
    description: 'Whether there is a secret; without one nothing passes.',
  }),
  last_delivery: Type.Unsafe<HookDelivery | null>({
    anyOf: [Ref(HookDelivery), { type: 'null' }],
    description: 'The newest delivery; null before the first.',
  }),
}

export const Hook = Type.Object(shownFields, {
  $id: 'Hook',
  description: 'An address to which another service sends events that start runs.',
})
export type Hook = Static<typeof Hook>

export const HookWithSecret = Type.Object(
  {
    ...shownFields,
    secret: NullableText(
      'The secret that was made, shown this one time; null where it was given, or is none.',
    ),
  },
  { $id: 'HookWithSecret', description: 'A hook with a secret that was made for it.' },
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
    description: 'A hook to make.',
  },
)
export type CreateHook = Static<typeof CreateHook>

export const UpdateHook = StrictObject(optional({ ...given, status }), {
  $id: 'UpdateHook',
  examples: [{ status: 'paused' }],
  description: 'The fields to change.',
})
export type UpdateHook = Static<typeof UpdateHook>

export const RotateHookSecret = StrictObject(optional({ secret }), {
  $id: 'RotateHookSecret',
  examples: [{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
  description: 'The new secret; without one it is made.',
})
export type RotateHookSecret = Static<typeof RotateHookSecret>

export const PreviewHook = StrictObject(
  optional({
    hook_id: Text(80, 'A hook, whose fields count where this request has none.'),
    delivery_id: Text(80, 'A delivery of that hook, in place of `body`.'),
    body: Type.String({ maxLength: 500_000, description: 'A body as it would be sent.' }),
    content_type: Type.String({
      maxLength: 200,
      description: 'Its media type; `application/json` by default.',
    }),
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: 50,
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
    description: 'An event, and the filter and templates to try on it.',
  },
)
export type PreviewHook = Static<typeof PreviewHook>

export const HookPreview = Type.Object(
  {
    passes: Nullable(
      Type.Boolean({ description: 'Whether the filter lets it pass; null where it fails.' }),
    ),
    run: Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'What the run would be given: the body of a trigger. Null where that fails.',
    }),
    problems: Type.Array(
      Type.Object(
        {
          field: Type.String({ description: 'Field at fault, such as `filter`.' }),
          why: Type.String({ description: 'What is wrong, and where.' }),
        },
        { description: 'A problem.' },
      ),
      { description: 'What would make the delivery fail.' },
    ),
    values: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'What filter and templates see: `body`, `headers`, `event`, `hook`.',
    }),
  },
  { $id: 'HookPreview', description: 'What a filter and templates make of an event.' },
)
export type HookPreview = Static<typeof HookPreview>
