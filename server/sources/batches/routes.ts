import Type from 'typebox'
import { accepted, acceptedType, list, listByText, ndjson, ok } from '../../http/answer-shapes.ts'
import { operation, type Resource } from '../../http/operation.ts'
import { StringEnum, Text } from '../../wire-types.ts'
import * as verbs from './batches.ts'
import { addBatchBody, validateItems } from './body.ts'
import { createBatch } from './create.ts'
import type { ItemsPart } from './packed-items.ts'
import { resultTypes, sendResults } from './results.ts'
import * as schema from './schema.ts'

const tag = 'Batches'
const { name, concurrency, dry_run, input } = schema.CreateBatch.properties

/** `downloads` bounds the open downloads of a process. */
export function batches(): Resource {
  return {
    tag,
    about: 'One workflow run on many inputs: each item becomes exactly one run.',
    ids: { workflows: 'Workflow id.', batches: 'Batch id.' },
    schemas: schema,
    operations: [
      operation({
        id: 'batches.list',
        route: 'GET /v1/batches',
        cli: { limit: 50 },
        columns: [
          'id',
          'name',
          'status',
          'total',
          'completed',
          'completed_with_warnings as warned',
          'failed',
          'cost_usd as cost',
        ],
        role: 'viewer',
        action: 'list batches',
        summary: 'List batches',
        description: 'Newest first, 50 a page by default.',
        query: { workflow_id: Type.Optional(Text(100, 'Only batches of this workflow.')) },
        answer: list(schema.Batch, 'A page of batches.'),
        verb: ({ ctx, page, query }) => verbs.listBatches(ctx, page, query.workflow_id),
      }),
      operation({
        id: 'batches.retrieve',
        route: 'GET /v1/batches/:id',
        role: 'viewer',
        action: 'retrieve batch',
        summary: 'Retrieve a batch',
        description: 'Its progress, at most a few seconds old.',
        answer: ok(schema.Batch, 'The batch.'),
        verb: ({ ctx, params }) => verbs.retrieveBatch(ctx, params.id),
      }),
      operation({
        id: 'batches.items',
        route: 'GET /v1/batches/:id/items',
        cli: { command: 'batches items', limit: 50 },
        columns: [
          'position',
          'key',
          'file',
          'status',
          'run_has_warnings as warnings',
          'run_id as run',
          'cost_usd as cost',
          'error',
        ],
        role: 'viewer',
        action: 'list items of batch',
        summary: 'List the items of a batch',
        description: 'In their order, 50 a page by default.',
        query: {
          status: Type.Optional(
            StringEnum(schema.itemStatuses, { description: 'Only items in this status.' }),
          ),
          has_warnings: Type.Optional(
            Type.Boolean({
              description:
                'If true, only items whose run completed with warnings; false is the same as leaving it out.',
            }),
          ),
        },
        answer: listByText(schema.BatchItem, 'A page of items.'),
        verb: ({ ctx, params, page, query }) => verbs.listItems(ctx, params.id, page, query),
      }),
      operation({
        id: 'batches.results',
        route: 'GET /v1/batches/:id/results',
        cli: false,
        role: 'viewer',
        action: 'download results of batch',
        summary: 'Download the results of a batch',
        description:
          'JSON Lines, or with `Accept: text/csv` a CSV whose last columns are the fields of `output_json`. One ' +
          'line for each item, also while the batch is running.',
        answer: ndjson('A line for each item.', ['text/csv']),
        verb: async (call) => {
          const { params, request, reply } = call
          const type = acceptedType(request, reply, resultTypes) ?? 'application/x-ndjson'
          await sendResults(call, params.id, type, request.server.held.hold(request, reply))
        },
      }),
      operation({
        id: 'batches.cancel',
        route: 'POST /v1/batches/:id/cancel',
        role: 'member',
        audit: 'batch.cancelled',
        action: 'cancel batch',
        summary: 'Cancel a batch',
        description: 'No further item starts, and runs in progress are cancelled.',
        answer: accepted(schema.Batch, 'The batch.'),
        verb: ({ ctx, params }) => verbs.cancelBatch(ctx, params.id),
      }),
      operation({
        id: 'batches.retry_failed',
        route: 'POST /v1/batches/:id/retry-failed',
        role: 'member',
        audit: 'batch.retried',
        action: 'retry failed items of batch',
        summary: 'Retry the failed items',
        description:
          'Each failed item is retried like a run: it keeps its finished steps and uses the current workflow.',
        answer: accepted(schema.Batch, 'The batch.'),
        verb: ({ ctx, params }) => verbs.retryFailed(ctx, params.id),
      }),
    ],
  }
}

/** A separate resource, because its body may be large, and is not always JSON. */
export const batchUploads: Resource = {
  tag,
  ids: { workflows: 'Workflow id.' },
  schemas: {},
  setUp: addBatchBody,
  operations: [
    operation({
      id: 'batches.create',
      route: 'POST /v1/workflows/:id/batches',
      cli: false,
      role: 'member',
      audit: 'batch.created',
      action: 'start batch',
      summary: 'Start a batch',
      description:
        'Items as JSON (up to 8 MB), or as the whole body in JSON Lines (`application/x-ndjson`, one item per ' +
        'line) or CSV (`text/csv`, columns are fields of `data`; comma, semicolon or tab), up to 32 MB, with the ' +
        'other fields in the query. All items are validated before the first run starts.',
      query: {
        name: Type.Optional(name),
        concurrency: Type.Optional(concurrency),
        dry_run: Type.Optional(dry_run),
        input: Type.Optional(input),
        key: Type.Optional(Text(200, "CSV only: the column with the items' keys.")),
      },
      body: schema.CreateBatch,
      answer: accepted(schema.BatchOrEstimate, 'The batch, or with `dry_run` its estimate.'),
      creates: 'bat',
      verb: ({ ctx, params, reservedId, body, request }) => {
        const isCsv = request.headers['content-type']?.startsWith('text/csv') === true
        const { packedItems: packed } = request
        const validate = (part: ItemsPart): void => validateItems(request, part)
        return createBatch(ctx, params.id, reservedId, body, { packed, validate, isCsv })
      },
    }),
  ],
}
