import Type from 'typebox'
import { created, deleted, list, ok } from '../../http/answer-shapes.ts'
import { operation, type Resource } from '../../http/operation.ts'
import { StringEnum } from '../../wire-types.ts'
import * as mailboxes from './mailboxes.ts'
import * as schema from './schema.ts'

export const mailboxesResource: Resource = {
  tag: 'Mailboxes',
  about: 'IMAP folders whose new messages start runs.',
  ids: { mailboxes: 'Mailbox id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'mailboxes.list',
      route: 'GET /v1/mailboxes',
      columns: ['id', 'name', 'username', 'folder', 'state', 'active'],
      role: 'viewer',
      action: 'list mailboxes',
      summary: 'List mailboxes',
      description: 'All of the account, newest first, without passwords.',
      answer: list(schema.Mailbox, 'The mailboxes.'),
      verb: ({ ctx, page }) => mailboxes.listMailboxes(ctx, page),
    }),
    operation({
      id: 'mailboxes.create',
      route: 'POST /v1/mailboxes',
      role: 'admin',
      audit: 'mailbox.created',
      action: 'create mailbox',
      summary: 'Create a mailbox',
      description:
        'Logs in and opens the folder; `state` has the result. Messages that arrive from now on start runs.',
      body: schema.CreateMailbox,
      answer: created(schema.Mailbox, 'The mailbox.'),
      creates: 'mbx',
      verb: ({ ctx, reservedId, body }) => mailboxes.createMailbox(ctx, reservedId, body),
    }),
    operation({
      id: 'mailboxes.retrieve',
      route: 'GET /v1/mailboxes/:id',
      role: 'viewer',
      action: 'retrieve mailbox',
      summary: 'Retrieve a mailbox',
      description: 'Its settings and state; never its password.',
      answer: ok(schema.Mailbox, 'The mailbox.'),
      verb: ({ ctx, params }) => mailboxes.retrieveMailbox(ctx, params.id),
    }),
    operation({
      id: 'mailboxes.update',
      route: 'PATCH /v1/mailboxes/:id',
      role: 'admin',
      audit: 'mailbox.updated',
      action: 'update mailbox',
      summary: 'Update a mailbox',
      description:
        'With another server, user or folder, messages that arrive from now on start runs.',
      body: schema.UpdateMailbox,
      answer: ok(schema.Mailbox, 'The changed mailbox.'),
      verb: ({ ctx, params, body }) => mailboxes.updateMailbox(ctx, params.id, body),
    }),
    operation({
      id: 'mailboxes.delete',
      route: 'DELETE /v1/mailboxes/:id',
      role: 'admin',
      audit: 'mailbox.deleted',
      action: 'delete mailbox',
      summary: 'Delete a mailbox',
      description: 'Its messages stay in the folder; Muster deletes its record of them.',
      answer: deleted('The mailbox is deleted.'),
      verb: ({ ctx, params }) => mailboxes.deleteMailbox(ctx, params.id),
    }),
    operation({
      id: 'mailboxes.test',
      route: 'POST /v1/mailboxes/:id/test',
      role: 'admin',
      audit: 'mailbox.tested',
      action: 'test mailbox',
      summary: 'Test a mailbox',
      description: 'Logs in and opens the folder without changing anything.',
      answer: ok(schema.MailboxTest, 'The result of the test.'),
      verb: ({ ctx, params }) => mailboxes.testMailbox(ctx, params.id),
    }),
    operation({
      id: 'mailboxes.messages',
      route: 'GET /v1/mailboxes/:id/messages',
      cli: { limit: 50 },
      columns: [
        'created_at',
        'sender',
        'subject',
        'status',
        'run_id',
        'run_status',
        'run_has_warnings as warnings',
        'why',
      ],
      role: 'viewer',
      action: 'list messages',
      summary: 'List the messages of a mailbox',
      description: 'Newest first, with their outcome; the 50 most recent by default.',
      query: {
        status: Type.Optional(
          StringEnum(schema.messageStatuses, { description: 'With this status.' }),
        ),
      },
      answer: list(schema.MailboxMessage, 'A page of messages.'),
      verb: ({ ctx, params, page, query }) =>
        mailboxes.listMailboxMessages(ctx, params.id, page, query.status),
    }),
  ],
}
