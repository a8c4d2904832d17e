import Type from 'typebox'
import { accepted, created, deleted, list, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { StringEnum } from '../wire-types.ts'
import * as deliveries from './deliveries.ts'
import * as verbs from './hooks.ts'
import * as schema from './schema.ts'

export const hooks: Resource = {
  tag: 'Hooks',
  about: 'Addresses to which other services send events that start runs.',
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
        'Its `url` takes events by `POST`, without an API key. Where no `secret` is given one is made, which is in this ' +
        'answer only; Stripe and Slack make theirs, so give it here or later. An account has up to 100.',
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
          Type.String({ maxLength: 100, description: 'Only those of this workflow.' }),
        ),
        status: Type.Optional(
          StringEnum(['active', 'paused'] as const, {
            description: 'Only those in this status.',
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
      answer: ok(schema.Hook, 'The hook.'),
      verb: ({ ctx, params }) => verbs.retrieveHook(ctx, params.id),
    }),
    operation({
      id: 'hooks.update',
      route: 'PATCH /v1/hooks/:id',
      cli: {
        options: { files: 'run-file' },
        verbs: {
          pause: [{ status: 'paused' }, 'Pause a hook: events are answered and not kept'],
          resume: [{ status: 'active' }, 'Resume a hook'],
        },
      },
      role: 'member',
      audit: 'hook.updated',
      action: 'update hook',
      summary: 'Update a hook',
      description: 'Changes the given fields. The scheme stays, and secrets are rotated.',
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
      description: 'With its deliveries; its runs stay.',
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
      description: 'For 24 hours the old secret is taken as well.',
      body: schema.RotateHookSecret,
      answer: ok(schema.HookWithSecret, 'With the new secret, where it was made.'),
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
      summary: 'Preview what becomes of an event',
      description:
        'Tries a filter and templates on a stored delivery or on a given body. Nothing is stored or started.',
      body: schema.PreviewHook,
      answer: ok(schema.HookPreview, 'What they make of it.'),
      verb: ({ ctx, body }) => deliveries.previewHook(ctx, body),
    }),
    operation({
      id: 'hooks.deliveries',
      route: 'GET /v1/hooks/:id/deliveries',
      columns: ['id', 'received_at', 'event_type', 'status', 'run_id', 'run_status', 'why'],
      cli: { limit: 50 },
      role: 'viewer',
      action: 'list deliveries of hook',
      summary: 'List the deliveries of a hook',
      description:
        'What was sent, and what became of it, newest first; 50 by default. The newest 1,000 are kept, and the newest ' +
        '100 that were refused.',
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
      description: 'Makes a further run of the event, by the filter and templates of now.',
      answer: accepted(schema.HookDelivery, 'The pending delivery.'),
      creates: 'run',
      verb: ({ ctx, params, reservedId }) =>
        deliveries.sendAgain(ctx, params.id, params.deliveryId, reservedId),
    }),
  ],
}
