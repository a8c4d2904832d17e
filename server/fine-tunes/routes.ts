import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { sendPage, toPageRequest } from '../http/pagination.ts'
import { Answers, Deleted, IdParams, PageQuery, Ref } from '../http/schema.ts'
import { cancelFineTune } from './cancel.ts'
import { createFineTune } from './create.ts'
import { deleteFineTune } from './delete.ts'
import { listFineTuneEvents } from './list-events.ts'
import { listFineTunes } from './list.ts'
import { previewFineTune } from './preview.ts'
import { retrieveFineTune } from './retrieve.ts'
import * as schema from './schema.ts'
import { addUploadBody } from './training/upload-body.ts'

const tags = ['Fine-tunes']
const params = IdParams('id', 'Fine-tune id.')

export const fineTuneRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addSchema(schema.Hyperparameters).addSchema(schema.FineTune).addSchema(schema.CreateFineTune)
  app.addSchema(schema.FineTuneEvent).addSchema(schema.FineTunePreview)

  await app.register(uploadRoutes)

  app.get(
    '/v1/fine-tunes',
    {
      config: { operation: 'fine_tunes.list', action: 'list fine-tunes' },
      schema: {
        operationId: 'fine_tunes.list',
        summary: 'List fine-tunes',
        description: 'Newest first, the 100 most recent by default.',
        tags,
        querystring: Type.Object(PageQuery),
        response: Answers(200, Type.Array(Ref(schema.FineTune)), 'A page of jobs.'),
      },
    },
    async (request, reply) => {
      const page = await listFineTunes(request.ctx, toPageRequest(request.query, 'list fine-tunes'))
      return { data: sendPage(request, reply, page) }
    },
  )

  app.get(
    '/v1/fine-tunes/:id',
    {
      config: { operation: 'fine_tunes.retrieve', action: 'retrieve fine-tune' },
      schema: {
        operationId: 'fine_tunes.retrieve',
        summary: 'Retrieve a fine-tune',
        description: 'As its provider tells it now, asked once a second at most.',
        tags,
        params,
        response: Answers(200, Ref(schema.FineTune), 'The job.'),
      },
    },
    async (request) => ({ data: await retrieveFineTune(request.ctx, request.params.id) }),
  )

  app.get(
    '/v1/fine-tunes/:id/events',
    {
      config: { operation: 'fine_tunes.events', action: 'list events of fine-tune' },
      schema: {
        operationId: 'fine_tunes.events',
        summary: "List the events of a fine-tune's provider",
        description: 'Oldest first. All of them by default, the newest 1,000 at most.',
        tags,
        params,
        querystring: Type.Object(PageQuery),
        response: Answers(200, Type.Array(Ref(schema.FineTuneEvent)), 'A page of the log.'),
      },
    },
    async (request, reply) => {
      const page = toPageRequest(request.query, 'list events of fine-tune')
      const events = await listFineTuneEvents(request.ctx, request.params.id, page)
      return { data: sendPage(request, reply, events) }
    },
  )

  app.post(
    '/v1/fine-tunes/:id/cancel',
    {
      config: { operation: 'fine_tunes.cancel', action: 'cancel fine-tune' },
      schema: {
        operationId: 'fine_tunes.cancel',
        summary: 'Cancel a fine-tune',
        description:
          'Stops an active job at its provider; one that has ended comes back unchanged.',
        tags,
        params,
        response: Answers(200, Ref(schema.FineTune), 'The job.'),
      },
    },
    async (request) => ({ data: await cancelFineTune(request.ctx, request.params.id) }),
  )

  app.delete(
    '/v1/fine-tunes/:id',
    {
      config: { operation: 'fine_tunes.delete', action: 'delete fine-tune' },
      schema: {
        operationId: 'fine_tunes.delete',
        summary: 'Delete a fine-tune',
        description: 'Stopped first where it is active; its model id is not accepted any more.',
        tags,
        params,
        response: Answers(200, Ref(Deleted), 'The job is deleted.'),
      },
    },
    async (request) => {
      await deleteFineTune(request.ctx, request.params.id)
      return { data: { id: request.params.id, deleted: true as const } }
    },
  )
}

/** Those that take a training set, in a plugin of their own because their bodies may be large. */
const uploadRoutes: FastifyPluginAsyncTypebox = async (app) => {
  addUploadBody(app)

  app.post(
    '/v1/fine-tunes',
    {
      config: { operation: 'fine_tunes.create', action: 'create fine-tune' },
      schema: {
        operationId: 'fine_tunes.create',
        summary: 'Create a fine-tune',
        description:
          'The training set is checked and uploaded first. What the provider refuses afterwards is a job that has `failed`.',
        tags,
        body: Ref(schema.CreateFineTune),
        response: Answers(201, Ref(schema.FineTune), 'The new job.'),
      },
    },
    async (request, reply) => {
      reply.status(201)
      return { data: await createFineTune(request.ctx, request.body, request.trainingSet) }
    },
  )

  app.post(
    '/v1/fine-tunes/preview',
    {
      config: { operation: 'fine_tunes.preview', action: 'preview fine-tune' },
      schema: {
        operationId: 'fine_tunes.preview',
        summary: 'Preview a fine-tune',
        description: 'Checks a training set and tells what it would cost; nothing is sent.',
        tags,
        body: Ref(schema.CreateFineTune),
        response: Answers(200, Ref(schema.FineTunePreview), 'What would be trained on.'),
      },
    },
    async (request) => ({
      data: await previewFineTune(request.ctx, request.body, request.trainingSet),
    }),
  )
}
