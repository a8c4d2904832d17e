import { accepted, ok } from '../../http/answer-shapes.ts'
import { operation, type Resource } from '../../http/operation.ts'
import { createBulkOperation, retrieveBulkOperation } from './bulk-operations.ts'
import * as schema from './schema.ts'

export const bulkOperations: Resource = {
  tag: 'Bulk operations',
  about: 'Cancel or retry many runs at once, in the background.',
  ids: { 'bulk-operations': 'Id of the operation.' },
  schemas: schema,
  operations: [
    operation({
      id: 'bulk_operations.create',
      route: 'POST /v1/runs/bulk',
      cli: false,
      role: 'member',
      audit: 'bulk_operation.created',
      action: 'start bulk operation',
      summary: 'Cancel or retry many runs',
      description:
        'Applies to the runs that match now, up to 10,000. With `dry_run`, they are only counted. Retrying skips ' +
        'runs that were already retried.',
      body: schema.CreateBulkOperation,
      answer: accepted(schema.BulkOperation, 'The operation.'),
      creates: 'blk',
      verb: ({ ctx, reservedId, body }) => createBulkOperation(ctx, reservedId, body),
    }),
    operation({
      id: 'bulk_operations.retrieve',
      route: 'GET /v1/bulk-operations/:id',
      cli: false,
      role: 'viewer',
      action: 'retrieve bulk operation',
      summary: 'Retrieve a bulk operation',
      description: 'Its progress, and the runs that were skipped with the reasons.',
      answer: ok(schema.BulkOperation, 'Status of the operation.'),
      verb: ({ ctx, params }) => retrieveBulkOperation(ctx, params.id),
    }),
  ],
}
