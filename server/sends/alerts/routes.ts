import { created, deleted, list, ok } from '../../http/answer-shapes.ts'
import { operation, type Resource } from '../../http/operation.ts'
import * as alerts from './alerts.ts'
import * as schema from './schema.ts'

export const alertsResource: Resource = {
  tag: 'Alerts',
  about: 'A message that channels send when something goes wrong.',
  ids: { alerts: 'Alert id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'alerts.list',
      route: 'GET /v1/alerts',
      columns: ['id', 'name', 'on', 'active', 'last_fired_at'],
      role: 'viewer',
      action: 'list alerts',
      summary: 'List alerts',
      description: 'All of the account, newest first.',
      answer: list(schema.Alert, 'The alerts.'),
      verb: ({ ctx, page }) => alerts.listAlerts(ctx, page),
    }),
    operation({
      id: 'alerts.create',
      route: 'POST /v1/alerts',
      role: 'member',
      audit: 'alert.created',
      action: 'create alert',
      summary: 'Create an alert',
      description: 'It covers events from now on, and notifies channels within about 15 seconds.',
      body: schema.CreateAlert,
      answer: created(schema.Alert, 'The alert.'),
      creates: 'alr',
      verb: ({ ctx, reservedId, body }) => alerts.createAlert(ctx, reservedId, body),
    }),
    operation({
      id: 'alerts.retrieve',
      route: 'GET /v1/alerts/:id',
      role: 'viewer',
      action: 'retrieve alert',
      summary: 'Retrieve an alert',
      description: 'One alert with its settings.',
      answer: ok(schema.Alert, 'The alert.'),
      verb: ({ ctx, params }) => alerts.retrieveAlert(ctx, params.id),
    }),
    operation({
      id: 'alerts.update',
      route: 'PATCH /v1/alerts/:id',
      cli: {
        flags: { 'all-workflows': { workflow_ids: null }, 'all-channels': { channel_ids: null } },
      },
      role: 'member',
      audit: 'alert.updated',
      action: 'update alert',
      summary: 'Update an alert',
      description: 'Changes the given fields.',
      body: schema.UpdateAlert,
      answer: ok(schema.Alert, 'The changed alert.'),
      verb: ({ ctx, params, body }) => alerts.updateAlert(ctx, params.id, body),
    }),
    operation({
      id: 'alerts.delete',
      route: 'DELETE /v1/alerts/:id',
      role: 'member',
      audit: 'alert.deleted',
      action: 'delete alert',
      summary: 'Delete an alert',
      description: 'It sends nothing from then on.',
      answer: deleted('The alert is deleted.'),
      verb: ({ ctx, params }) => alerts.deleteAlert(ctx, params.id),
    }),
  ],
}
