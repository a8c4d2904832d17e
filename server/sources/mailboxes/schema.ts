import Type, { type Static } from 'typebox'
import { startedRunFields } from '../../workflows/trigger-fields.ts'
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
  Text,
  Timestamp,
} from '../../wire-types.ts'

const given = {
  name: Name(100, 'Display name'),
  host: Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z0-9._:-]+$',
    description: 'Name or address of the IMAP server.',
  }),
  port: Type.Integer({
    minimum: 1,
    maximum: 65_535,
    description: '993 with implicit TLS, 143 with STARTTLS; others only in allowed networks.',
  }),
  secure: StringEnum(['tls', 'starttls', 'none'] as const, {
    description:
      '`tls`: TLS from the start, the default on port 993. `starttls`: the default on other ports; without it ' +
      'nothing is sent. `none`: the password is sent unencrypted, only in allowed networks.',
  }),
  username: Text(254, 'User name, usually the email address.'),
  folder: Text(200, 'Folder to read; INBOX by default.'),
  workflow_id: Type.String({ maxLength: 100, description: 'Workflow to run for each message.' }),
  senders: Nullable(
    Type.Array(
      Type.String({
        maxLength: 254,
        pattern: '^[^\\s@]*@[^\\s@]+$',
        description: 'An address such as ada@example.com, or a domain such as @example.com.',
      }),
      {
        minItems: 1,
        maxItems: 100,
        description: 'Only messages from these senders; null means all.',
      },
    ),
  ),
  require_authenticated: Type.Boolean({
    description:
      'Only messages whose sender the mail server has authenticated (`dmarc=pass` in `Authentication-Results`); ' +
      'false by default.',
  }),
  authserv_id: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: '^[\\x21-\\x3a\\x3c-\\x7e]+$',
      description:
        'The name in `Authentication-Results` of the mail server that receives your email, such as ' +
        'mx.example.com. Results of others do not count. Null means the topmost result.',
    }),
  ),
  subject_contains: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only messages whose subject contains this text, ignoring case; null means all.',
    }),
  ),
  poll_seconds: Type.Integer({
    minimum: 10,
    maximum: 86_400,
    description: 'How often the folder is read; 60 by default.',
  }),
  active: Type.Boolean({ description: 'An inactive mailbox is not read.' }),
}

const password = Type.String({
  minLength: 1,
  maxLength: 1_000,
  writeOnly: true,
  description: 'Password, or an app password. Encrypted and never returned.',
})

export const Mailbox = Type.Object(
  {
    id: Type.String({ description: 'Mailbox id.' }),
    ...given,
    state: StringEnum(connectionStates, {
      description: 'Result of the last test or use; `saved` before the first.',
    }),
    ...connectionFields,
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it was last changed.'),
  },
  { $id: 'Mailbox', description: 'An IMAP folder whose new messages start runs.' },
)
export type Mailbox = Static<typeof Mailbox>

const { name, host, port, username, workflow_id } = given
export const CreateMailbox = StrictObject(
  { ...optional(given), name, host, port, username, password, workflow_id },
  {
    $id: 'CreateMailbox',
    examples: [
      {
        name: 'Support',
        host: 'imap.example.com',
        port: 993,
        username: 'support@example.com',
        password: 'an app password',
        workflow_id: 'wf_01ktbz3v9se0c9x1hm8q5gkxvn',
      },
    ],
    description: 'The mailbox to create. Messages that arrive from now on start runs.',
  },
)
export type CreateMailbox = Static<typeof CreateMailbox>

export const UpdateMailbox = StrictObject(optional({ ...given, password }), {
  $id: 'UpdateMailbox',
  examples: [{ active: false }],
  description:
    'The fields to update; with another server or user, the password must be given again.',
})
export type UpdateMailbox = Static<typeof UpdateMailbox>

export const MailboxTest = Type.Object(
  {
    ...testFields,
  },
  { $id: 'MailboxTest', description: 'Whether the server accepted the login and has the folder.' },
)
export type MailboxTest = Static<typeof MailboxTest>

export const messageStatuses = ['pending', 'started', 'ignored', 'failed'] as const

export const MailboxMessage = Type.Object(
  {
    id: Type.String({ description: 'Id here.' }),
    mailbox_id: Type.String({ description: 'The mailbox.' }),
    message_id: Type.String({ description: 'Its Message-ID, or a hash if it has none.' }),
    sender: Type.String({ description: 'Address of the sender.' }),
    subject: Type.String({ description: 'Subject, up to 300 characters.' }),
    status: StringEnum(messageStatuses, {
      description:
        '`pending`: its run has not started yet, see `why`, such as a paused workflow. `started`: it started ' +
        '`run_id`. `ignored`: it starts no run, see `why`. `failed`: the run was refused.',
    }),
    why: NullableText('Why it started no run; null if it did.'),
    ...startedRunFields,
    received_at: NullableTimestamp('When the server received it.'),
    created_at: Timestamp('When Muster saw it.'),
  },
  { $id: 'MailboxMessage', description: 'A message with its outcome.' },
)
export type MailboxMessage = Static<typeof MailboxMessage>
