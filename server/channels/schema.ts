import Type, { type Static } from 'typebox'
import { emailPattern, maxEmailLength } from '../email-text.ts'
import { Token } from '../tools/connector.ts'
import {
  connectionFields,
  connectionStates,
  Name,
  Nullable,
  NullableText,
  NullableTimestamp,
  optional,
  StrictObject,
  StringEnum,
  testFields,
  Timestamp,
} from '../wire-types.ts'

const kind = StringEnum(['email', 'slack'] as const, {
  description:
    '`email` sends through the email connector of the account, or else the mail server of the operator. ' +
    '`slack` posts to one Slack channel.',
})

const given = {
  name: Name(100, 'Label for people'),
  workflow_ids: Nullable(
    Type.Array(Type.String({ maxLength: 100, description: 'A workflow id.' }), {
      minItems: 1,
      maxItems: 100,
      description: 'Only these workflows are announced; null means all.',
    }),
  ),
  recipients: Type.Array(
    Type.String({
      maxLength: maxEmailLength,
      pattern: emailPattern,
      description: 'An email address.',
    }),
    {
      maxItems: 20,
      description:
        'Email only: who gets each message, one email each. A recipient who is a user of the account with the role ' +
        'approver or above can answer from the email; others are led to the console.',
    },
  ),
  slack_channel: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Slack only: channel id such as C0123456789, or name such as #approvals.',
    }),
  ),
  active: Type.Boolean({ description: 'An inactive channel sends nothing.' }),
}

const secrets = {
  token: Token(
    500,
    'Slack only: bot token with the scopes chat:write and users:read.email, `xoxb-…`.',
  ),
  signing_secret: Nullable(
    Token(
      200,
      'Slack only: signing secret of the app. With it messages have buttons, without it a link.',
    ),
  ),
}

export const Channel = Type.Object(
  {
    id: Type.String({ description: 'Channel id.' }),
    name: given.name,
    kind,
    workflow_ids: given.workflow_ids,
    recipients: given.recipients,
    slack_channel: given.slack_channel,
    active: given.active,
    has_buttons: Type.Boolean({
      description: 'Slack only: whether messages can be answered in Slack.',
    }),
    interactivity_url: NullableText(
      'Slack only: the request URL to enter under "Interactivity" in the Slack app.',
    ),
    state: StringEnum(connectionStates, {
      description: 'What its last test or use found; `saved` before the first.',
    }),
    ...connectionFields,
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it was last changed.'),
  },
  { $id: 'Channel', description: 'Where people are told what waits for them.' },
)
export type Channel = Static<typeof Channel>

export const CreateChannel = StrictObject(
  { ...optional({ ...given, ...secrets }), name: given.name, kind },
  {
    $id: 'CreateChannel',
    examples: [{ name: 'Approvers', kind: 'email', recipients: ['ada@example.com'] }],
    description: 'A channel to create.',
  },
)
export type CreateChannel = Static<typeof CreateChannel>

export const UpdateChannel = StrictObject(optional({ ...given, ...secrets }), {
  $id: 'UpdateChannel',
  examples: [{ active: false }],
  description: 'The fields to change; secrets that are left out stay.',
})
export type UpdateChannel = Static<typeof UpdateChannel>

export const ChannelTest = Type.Object(
  {
    ...testFields,
  },
  { $id: 'ChannelTest', description: 'Whether a test message was accepted for every recipient.' },
)
export type ChannelTest = Static<typeof ChannelTest>

export const notificationStatuses = ['pending', 'sent', 'failed', 'dropped'] as const

export const Notification = Type.Object(
  {
    id: Type.String({ description: 'Notification id.' }),
    channel_id: Type.String({ description: 'The channel that it goes through.' }),
    kind: StringEnum(['case', 'reminder', 'escalation', 'assignment', 'alert'] as const, {
      description: 'What it tells.',
    }),
    run_id: NullableText('The run that it is about; null where it is about none.'),
    pending_id: NullableText('The request that it is about; null for an alert.'),
    recipient: Type.String({ description: 'Email address or Slack channel.' }),
    status: StringEnum(notificationStatuses, {
      description:
        '`pending`: not sent yet. `dropped`: answered before it was sent. `failed`: every try failed.',
    }),
    tries: Type.Integer({ description: 'Tries that failed.' }),
    error: NullableText('Why the last try failed; null if none did.'),
    next_attempt_at: NullableTimestamp(
      'When it is tried next; null when there is nothing to send.',
    ),
    sent_at: NullableTimestamp('When the mail server or Slack took it.'),
    created_at: Timestamp('When it was written.'),
  },
  { $id: 'Notification', description: 'A message to one recipient of a channel.' },
)
export type Notification = Static<typeof Notification>
