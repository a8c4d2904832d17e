import { created, deleted, list, ok } from '../http/answer-shapes.ts'
import { operation, type Resource } from '../http/operation.ts'
import { createFineTune, previewFineTune } from './create.ts'
import { listFineTunes, retrieveFineTune } from './jobs.ts'
import { listFineTuneEvents } from './list-events.ts'
import * as schema from './schema.ts'
import { cancelFineTune, deleteFineTune } from './stop.ts'
import { addUploadBody } from './training/upload-body.ts'

const tag = 'Fine-tunes'

export const fineTunes: Resource = {
  tag,
  about: 'Your own models, trained by a provider on files or runs.',
  ids: { 'fine-tunes': 'Fine-tune id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'fine_tunes.list',
      route: 'GET /v1/fine-tunes',
      cli: { limit: 100 },
      role: 'viewer',
      action: 'list fine-tunes',
      summary: 'List fine-tunes',
      description: 'Newest first, the 100 most recent by default.',
      answer: list(schema.FineTune, 'A page of jobs.'),
      verb: ({ ctx, page }) => listFineTunes(ctx, page),
    }),
    operation({
      id: 'fine_tunes.retrieve',
      route: 'GET /v1/fine-tunes/:id',
      role: 'viewer',
      action: 'retrieve fine-tune',
      summary: 'Retrieve a fine-tune',
      description: "With the provider's current status, requested at most once a second.",
      answer: ok(schema.FineTune, 'The job.'),
      verb: ({ ctx, params }) => retrieveFineTune(ctx, params.id),
    }),
    operation({
      id: 'fine_tunes.events',
      route: 'GET /v1/fine-tunes/:id/events',
      cli: false,
      role: 'viewer',
      action: 'list events of fine-tune',
      summary: "List the events of a fine-tune's provider",
      description: 'Oldest first. All of them by default, up to the newest 1,000.',
      answer: list(schema.FineTuneEvent, 'A page of the log.'),
      verb: ({ ctx, params, page }) => listFineTuneEvents(ctx, params.id, page),
    }),
    operation({
      id: 'fine_tunes.cancel',
      route: 'POST /v1/fine-tunes/:id/cancel',
      role: 'member',
      audit: 'fine_tune.cancelled',
      action: 'cancel fine-tune',
      summary: 'Cancel a fine-tune',
      description: 'Stops an active job at its provider; a finished one is returned unchanged.',
      answer: ok(schema.FineTune, 'The job.'),
      verb: ({ ctx, params }) => cancelFineTune(ctx, params.id),
    }),
    operation({
      id: 'fine_tunes.delete',
      route: 'DELETE /v1/fine-tunes/:id',
      role: 'member',
      audit: 'fine_tune.deleted',
      action: 'delete fine-tune',
      summary: 'Delete a fine-tune',
      description: 'An active job is stopped first; its model can no longer be used.',
      answer: deleted('The job is deleted.'),
      verb: ({ ctx, params }) => deleteFineTune(ctx, params.id),
    }),
  ],
}

/** Routes that accept a training set, with large bodies. */
export const fineTuneUploads: Resource = {
  tag,
  schemas: {},
  setUp: addUploadBody,
  operations: [
    operation({
      id: 'fine_tunes.create',
      route: 'POST /v1/fine-tunes',
      cli: false,
      role: 'member',
      audit: 'fine_tune.created',
      action: 'create fine-tune',
      summary: 'Create a fine-tune',
      description:
        'The training set is checked and uploaded first. If the provider refuses the job afterwards, it has ' +
        '`failed`.',
      body: schema.CreateFineTune,
      answer: created(schema.FineTune, 'The new job.'),
      creates: 'ft',
      verb: ({ ctx, reservedId, body, request }) =>
        createFineTune(ctx, reservedId, body, request.trainingSet),
    }),
    operation({
      id: 'fine_tunes.preview',
      route: 'POST /v1/fine-tunes/preview',
      cli: false,
      role: 'member',
      readOnly: true,
      action: 'preview fine-tune',
      summary: 'Preview a fine-tune',
      description: 'Checks a training set and estimates its cost; nothing is sent.',
      body: schema.CreateFineTune,
      answer: ok(schema.FineTunePreview, 'The examples that would be used for training.'),
      verb: ({ ctx, body, request }) => previewFineTune(ctx, body, request.trainingSet),
    }),
  ],
}
