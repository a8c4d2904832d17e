import Type, { type Static } from 'typebox'
import { emailPattern, maxEmailLength } from '../../email-text.ts'
import { Token } from '../../tools/connector.ts'
import {
  connectionFields,
  connectionStates,
  Name,
  Nullable,
  NullableText,
  NullableTimestamp,
  optional,
  ShownUrl,
  StrictObject,
  StringEnum,
  testFields,
  Timestamp,
} from '../../wire-types.ts'

const kind = StringEnum(['email', 'slack'] as const, {
  description:
    "`email` sends through the account's email connector, or else the operator's mail server. `slack` posts " +
    'to one Slack channel.',
})

const given = {
  name: Name(100, 'Display name'),
  workflow_ids: Nullable(
    Type.Array(Type.String({ maxLength: 100, description: 'A workflow id.' }), {
      minItems: 1,
      maxItems: 100,
      description: 'Notify about these workflows only; null means all.',
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
        'Email only: the recipients, who each get their own email. A recipient who is a user of the account with ' +
        'the role approver or above can answer from the email; others get a link to the console.',
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
    interactivity_url: Nullable(
      ShownUrl('Slack only: the request URL to enter under "Interactivity" in the Slack app.'),
    ),
    state: StringEnum(connectionStates, {
      description: 'Result of the last test or use; `saved` before the first.',
    }),
    ...connectionFields,
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it was last changed.'),
  },
  { $id: 'Channel', description: 'Where people are notified of requests.' },
)
export type Channel = Static<typeof Channel>

export const CreateChannel = StrictObject(
  { ...optional({ ...given, ...secrets }), name: given.name, kind },
  {
    $id: 'CreateChannel',
    examples: [{ name: 'Approvers', kind: 'email', recipients: ['ada@example.com'] }],
    description: 'The channel to create.',
  },
)
export type CreateChannel = Static<typeof CreateChannel>

export const UpdateChannel = StrictObject(optional({ ...given, ...secrets }), {
  $id: 'UpdateChannel',
  examples: [{ active: false }],
  description: 'The fields to update; omitted secrets are kept.',
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
    channel_id: Type.String({ description: 'The channel it is sent through.' }),
    kind: StringEnum(['case', 'reminder', 'escalation', 'assignment', 'alert'] as const, {
      description: 'Its subject.',
    }),
    run_id: NullableText('The run it is about; null if none.'),
    pending_id: NullableText('The request it is about; null for an alert.'),
    recipient: Type.String({ description: 'Email address or Slack channel.' }),
    status: StringEnum(notificationStatuses, {
      description:
        '`pending`: not sent yet. `dropped`: the request was answered before sending. `failed`: every try failed.',
    }),
    tries: Type.Integer({ description: 'Tries that failed.' }),
    error: NullableText('Why the last try failed; null if none did.'),
    next_attempt_at: NullableTimestamp('When it is tried next; null if there is nothing to send.'),
    sent_at: NullableTimestamp('When the mail server or Slack accepted it.'),
    created_at: Timestamp('When it was written.'),
  },
  { $id: 'Notification', description: 'A message to one recipient of a channel.' },
)
export type Notification = Static<typeof Notification>
