import Type from 'typebox'
import { created, deleted, list, ok } from '../../http/answer-shapes.ts'
import { operation, type Resource } from '../../http/operation.ts'
import { StringEnum } from '../../wire-types.ts'
import * as channels from './channels.ts'
import { listNotifications } from './notifications.ts'
import * as schema from './schema.ts'
import { testChannel } from './test-message.ts'

export const channelsResource: Resource = {
  tag: 'Channels',
  about: 'Where people are notified of requests: by email or in Slack.',
  ids: { channels: 'Channel id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'channels.list',
      route: 'GET /v1/channels',
      columns: ['id', 'name', 'kind', 'state', 'active'],
      role: 'viewer',
      action: 'list channels',
      summary: 'List channels',
      description: 'All of the account, newest first, without secrets.',
      answer: list(schema.Channel, 'The channels.'),
      verb: ({ ctx, page }) => channels.listChannels(ctx, page),
    }),
    operation({
      id: 'channels.create',
      route: 'POST /v1/channels',
      role: 'admin',
      audit: 'channel.created',
      action: 'create channel',
      summary: 'Create a channel',
      description:
        'Logs in at the mail server or Slack and sends nothing; `state` has the result. Announces cases that ' +
        'start to wait from now on.',
      body: schema.CreateChannel,
      answer: created(schema.Channel, 'The channel.'),
      creates: 'chn',
      verb: ({ ctx, reservedId, body }) => channels.createChannel(ctx, reservedId, body),
    }),
    operation({
      id: 'channels.retrieve',
      route: 'GET /v1/channels/:id',
      role: 'viewer',
      action: 'retrieve channel',
      summary: 'Retrieve a channel',
      description: 'Its settings and state; never its secrets.',
      answer: ok(schema.Channel, 'The channel.'),
      verb: ({ ctx, params }) => channels.retrieveChannel(ctx, params.id),
    }),
    operation({
      id: 'channels.update',
      route: 'PATCH /v1/channels/:id',
      cli: {
        flags: {
          'all-workflows': { workflow_ids: null },
          activate: { active: true },
          pause: { active: false },
        },
      },
      role: 'admin',
      audit: 'channel.updated',
      action: 'update channel',
      summary: 'Update a channel',
      description: 'Logs in again if a secret changes.',
      body: schema.UpdateChannel,
      answer: ok(schema.Channel, 'The changed channel.'),
      verb: ({ ctx, params, body }) => channels.updateChannel(ctx, params.id, body),
    }),
    operation({
      id: 'channels.delete',
      route: 'DELETE /v1/channels/:id',
      role: 'admin',
      audit: 'channel.deleted',
      action: 'delete channel',
      summary: 'Delete a channel',
      description: 'Its messages are removed, and the links in them stop working.',
      answer: deleted('The channel is deleted.'),
      verb: ({ ctx, params }) => channels.deleteChannel(ctx, params.id),
    }),
    operation({
      id: 'channels.test',
      route: 'POST /v1/channels/:id/test',
      role: 'admin',
      audit: 'channel.tested',
      action: 'test channel',
      summary: 'Send a test message',
      description: 'To every recipient, at once.',
      answer: ok(schema.ChannelTest, 'The result.'),
      verb: ({ ctx, params }) => testChannel(ctx, params.id),
    }),
    operation({
      id: 'notifications.list',
      route: 'GET /v1/notifications',
      cli: { limit: 50 },
      columns: ['id', 'kind', 'recipient', 'status', 'error', 'created_at'],
      role: 'viewer',
      action: 'list notifications',
      summary: 'List the messages of channels',
      description:
        'Newest first; the 50 most recent by default. With `pending_id`, the notifications about a case.',
      query: {
        channel_id: Type.Optional(Type.String({ maxLength: 100, description: 'Of this channel.' })),
        run_id: Type.Optional(Type.String({ maxLength: 100, description: 'About this run.' })),
        pending_id: Type.Optional(
          Type.String({ maxLength: 100, description: 'About this request.' }),
        ),
        status: Type.Optional(
          StringEnum(schema.notificationStatuses, { description: 'With this status.' }),
        ),
      },
      answer: list(schema.Notification, 'A page of messages.'),
      verb: ({ ctx, page, query: { channel_id, run_id, pending_id, status } }) =>
        listNotifications(ctx, page, { channel_id, run_id, pending_id, status }),
    }),
  ],
}
