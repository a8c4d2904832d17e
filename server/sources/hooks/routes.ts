import Type from 'typebox'
import { accepted, created, deleted, list, ok } from '../../http/answer-shapes.ts'
import { operation, type Resource } from '../../http/operation.ts'
import { StringEnum } from '../../wire-types.ts'
import * as deliveries from './deliveries.ts'
import * as verbs from './hooks.ts'
import * as schema from './schema.ts'

export const hooks: Resource = {
  tag: 'Hooks',
  about: 'URLs to which other services send events that start runs.',
  ids: { hooks: 'Hook id.', deliveries: 'Delivery id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'hooks.create',
      route: 'POST /v1/hooks',
      cli: { options: { files: 'run-file' } },
      role: 'member',
      audit: 'hook.created',
      action: 'create hook',
      summary: 'Create a hook',
      description:
        'Its `url` accepts events by `POST`, without an API key. If you give no `secret`, one is generated and ' +
        'returned only in this response; Stripe and Slack generate their own, so set it here or later. An account ' +
        'has up to 100.',
      body: schema.CreateHook,
      answer: created(schema.HookWithSecret, 'The new hook.'),
      answersSecret: true,
      creates: 'hook',
      verb: ({ ctx, reservedId, body }) => verbs.createHook(ctx, reservedId, body),
    }),
    operation({
      id: 'hooks.list',
      route: 'GET /v1/hooks',
      columns: ['id', 'name', 'scheme', 'status', 'last_delivery.status as last', 'url'],
      role: 'viewer',
      action: 'list hooks',
      summary: 'List hooks',
      description: 'All of the account, newest first.',
      query: {
        workflow_id: Type.Optional(
          Type.String({ maxLength: 100, description: 'Only for this workflow.' }),
        ),
        status: Type.Optional(
          StringEnum(['active', 'paused'] as const, {
            description: 'Only with this status.',
          }),
        ),
      },
      answer: list(schema.Hook, 'The hooks.'),
      verb: ({ ctx, page, query }) => verbs.listHooks(ctx, page, query),
    }),
    operation({
      id: 'hooks.retrieve',
      route: 'GET /v1/hooks/:id',
      role: 'viewer',
      action: 'retrieve hook',
      summary: 'Retrieve a hook',
      description: 'Its URL and settings, with the newest delivery; never its secret.',
      answer: ok(schema.Hook, 'The hook.'),
      verb: ({ ctx, params }) => verbs.retrieveHook(ctx, params.id),
    }),
    operation({
      id: 'hooks.update',
      route: 'PATCH /v1/hooks/:id',
      cli: {
        options: { files: 'run-file' },
        verbs: {
          pause: [{ status: 'paused' }, 'Pause a hook: events are answered but not stored'],
          resume: [{ status: 'active' }, 'Resume a hook'],
        },
      },
      role: 'member',
      audit: 'hook.updated',
      action: 'update hook',
      summary: 'Update a hook',
      description: 'Changes the given fields, except the scheme; rotate the secret instead.',
      body: schema.UpdateHook,
      answer: ok(schema.Hook, 'The changed hook.'),
      verb: ({ ctx, params, body }) => verbs.updateHook(ctx, params.id, body),
    }),
    operation({
      id: 'hooks.delete',
      route: 'DELETE /v1/hooks/:id',
      role: 'member',
      audit: 'hook.deleted',
      action: 'delete hook',
      summary: 'Delete a hook',
      description: 'Deletes its deliveries too; its runs are kept.',
      answer: deleted('The hook is deleted.'),
      verb: ({ ctx, params }) => verbs.deleteHook(ctx, params.id),
    }),
    operation({
      id: 'hooks.rotate_secret',
      route: 'POST /v1/hooks/:id/rotate-secret',
      role: 'member',
      audit: 'hook.secret_rotated',
      action: 'rotate secret of hook',
      summary: 'Set or rotate the secret',
      description: 'The old secret is also accepted for 24 hours.',
      body: schema.RotateHookSecret,
      answer: ok(schema.HookWithSecret, 'With the new secret, if it was generated.'),
      answersSecret: true,
      verb: ({ ctx, params, body }) => verbs.rotateSecret(ctx, params.id, body),
    }),
    operation({
      id: 'hooks.preview',
      route: 'POST /v1/hooks/preview',
      cli: { options: { files: 'run-file' } },
      role: 'member',
      readOnly: true,
      action: 'preview hook',
      summary: 'Preview the result of an event',
      description:
        'Tests a filter and templates on a stored delivery or a given body. Nothing is stored or started.',
      body: schema.PreviewHook,
      answer: ok(schema.HookPreview, 'The result.'),
      verb: ({ ctx, body }) => deliveries.previewHook(ctx, body),
    }),
    operation({
      id: 'hooks.deliveries',
      route: 'GET /v1/hooks/:id/deliveries',
      columns: [
        'id',
        'received_at',
        'event_type',
        'status',
        'run_id',
        'run_status',
        'run_has_warnings as warnings',
        'why',
      ],
      cli: { limit: 50 },
      role: 'viewer',
      action: 'list deliveries of hook',
      summary: 'List the deliveries of a hook',
      description:
        'Deliveries with their outcome, newest first; 50 by default. The newest 1,000 are kept, and the newest ' +
        '100 refused ones.',
      query: {
        status: Type.Optional(
          StringEnum(schema.deliveryStatuses, {
            description: 'Only deliveries in this status.',
          }),
        ),
      },
      answer: list(schema.HookDelivery, 'A page of deliveries.'),
      verb: ({ ctx, params, page, query }) =>
        deliveries.listDeliveries(ctx, params.id, page, query.status),
    }),
    operation({
      id: 'hooks.delivery',
      route: 'GET /v1/hooks/:id/deliveries/:deliveryId',
      role: 'viewer',
      large: true,
      action: 'retrieve delivery of hook',
      summary: 'Retrieve a delivery with its body',
      description: 'The event as it came, without signatures and credentials.',
      answer: ok(schema.HookDeliveryWithBody, 'The delivery.'),
      verb: ({ ctx, params }) => deliveries.retrieveDelivery(ctx, params.id, params.deliveryId),
    }),
    operation({
      id: 'hooks.send_again',
      route: 'POST /v1/hooks/:id/deliveries/:deliveryId/send-again',
      role: 'member',
      audit: 'hook.delivery_sent_again',
      action: 'send delivery again',
      summary: 'Send a delivery again',
      description: 'Starts another run from the event, with the current filter and templates.',
      answer: accepted(schema.HookDelivery, 'The pending delivery.'),
      creates: 'run',
      verb: ({ ctx, params, reservedId }) =>
        deliveries.sendAgain(ctx, params.id, params.deliveryId, reservedId),
    }),
  ],
}
