import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { HeldRequests } from '../http/held-requests.ts'
import { sendPage, toPageRequest } from '../http/pagination.ts'
import { Answers, Failures, IdParams, PageQuery, Ref, StringEnum } from '../http/schema.ts'
import { toSse, type SseEvent } from '../http/sse.ts'
import { cancelRun } from './cancel.ts'
import { listPending } from './list-pending.ts'
import { listRuns } from './list.ts'
import { respondToRun } from './respond.ts'
import { retrieveRun, WaitedRuns } from './retrieve.ts'
import { retryRun } from './retry.ts'
import { runStatuses } from '../engine/state/run.ts'
import * as schema from './schema.ts'
import { streamEvents } from './stream-events.ts'
import { triggerRun } from './trigger.ts'

const tags = ['Runs']
const workflowParams = IdParams('id', 'Workflow id.')
const params = IdParams('id', 'Run id.')

export const runRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const held = new HeldRequests()
  const waited = new WaitedRuns()
  app.addSchema(schema.ToolCall)
  app.addSchema(schema.RespondToRun).addSchema(schema.RespondedRun).addSchema(schema.WaitingRun)
  app.addSchema(schema.Step).addSchema(schema.Run).addSchema(schema.RunWithSteps)
  app.addSchema(schema.CreateRun).addSchema(schema.RunEventBody)

  app.post(
    '/v1/workflows/:id/runs',
    {
      config: { operation: 'runs.create', action: 'trigger run' },
      schema: {
        operationId: 'runs.create',
        summary: 'Trigger a run',
        description: 'The run is stored when the answer comes; execution begins afterwards.',
        tags,
        params: workflowParams,
        body: Ref(schema.CreateRun),
        response: Answers(202, Ref(schema.Run), 'The queued run.'),
      },
    },
    async (request, reply) => {
      reply.status(202)
      return { data: await triggerRun(request.ctx, request.params.id, request.body) }
    },
  )

  app.get(
    '/v1/workflows/:id/runs',
    {
      config: { operation: 'runs.list', action: 'list runs' },
      schema: {
        operationId: 'runs.list',
        summary: 'List the runs of a workflow',
        description: 'Newest first, without steps; the 50 most recent by default.',
        tags,
        params: workflowParams,
        querystring: Type.Object({
          ...PageQuery,
          status: Type.Optional(
            StringEnum(runStatuses, { description: 'Only runs in this status.' }),
          ),
        }),
        response: Answers(200, Type.Array(Ref(schema.Run)), 'A page of runs.'),
      },
    },
    async (request, reply) => {
      const page = await listRuns(request.ctx, request.params.id, {
        ...toPageRequest(request.query, 'list runs'),
        status: request.query.status,
      })
      return { data: sendPage(request, reply, page) }
    },
  )

  app.get(
    '/v1/runs/:id',
    {
      config: { operation: 'runs.retrieve', action: 'retrieve run' },
      schema: {
        operationId: 'runs.retrieve',
        summary: 'Retrieve a run with its steps',
        tags,
        params,
        querystring: Type.Object({
          wait: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 60,
              description: 'Answer as soon as the run ends or waits, or after so many seconds.',
            }),
          ),
        }),
        response: Answers(200, Ref(schema.RunWithSteps), 'The run.'),
      },
    },
    async (request, reply) => {
      const { ctx, params, query } = request
      const { wait: seconds = 0 } = query
      if (seconds === 0) return { data: await retrieveRun(ctx, params.id) }
      const hold = { seconds, signal: held.hold(request, reply) }
      const text = await waited.answer(
        ctx,
        params.id,
        hold,
        (data) => reply.serialize({ data }) as string,
      )
      return reply.type('application/json; charset=utf-8').send(text as never)
    },
  )

  app.get(
    '/v1/runs/:id/events',
    {
      config: { operation: 'runs.events', action: 'stream events of run' },
      schema: {
        operationId: 'runs.events',
        summary: 'Stream the events of a run',
        description:
          'Server-sent events from the stored log. `id` is the sequence number: send it back as ' +
          '`Last-Event-ID` to resume. The stream ends when the run has ended.',
        tags,
        params,
        headers: Type.Object({
          'last-event-id': Type.Optional(
            Type.String({
              pattern: '^[0-9]{1,9}$',
              description: 'A sequence number: events after it are sent.',
            }),
          ),
        }),
        response: {
          200: {
            description: 'Events of the run, each as the data of one frame.',
            content: {
              'text/event-stream': { schema: Type.Unsafe<unknown>({ $ref: 'RunEvent#' }) },
            },
          },
          ...Failures,
        },
      },
    },
    async (request, reply) => {
      const after = Number(request.headers['last-event-id'] ?? 0)
      const events = await streamEvents(
        request.ctx,
        request.params.id,
        after,
        held.hold(request, reply),
      )
      reply.header('content-type', 'text/event-stream; charset=utf-8')
      reply.header('cache-control', 'no-store')
      // A stream's end is the connection's, so that a stopping process does not wait for it.
      reply.header('connection', 'close')
      // Tells nginx not to gather the stream.
      reply.header('x-accel-buffering', 'no')
      return reply.send(toSse(frames(events)))
    },
  )

  app.post(
    '/v1/runs/:id/respond',
    {
      config: { operation: 'runs.respond', action: 'respond to run' },
      schema: {
        operationId: 'runs.respond',
        summary: 'Answer what a run waits for',
        description:
          'Answers a question, or decides an approval: `approve` runs the action and the agent goes ' +
          'on, `reject` skips it and tells the agent why. One answer counts; any further is 409.',
        tags,
        params,
        body: Ref(schema.RespondToRun),
        response: Answers(202, Ref(schema.RespondedRun), 'The run goes on.'),
      },
    },
    async (request, reply) => {
      reply.status(202)
      return { data: await respondToRun(request.ctx, request.params.id, request.body) }
    },
  )

  app.get(
    '/v1/pending',
    {
      config: { operation: 'pending.list', action: 'list pending requests' },
      schema: {
        operationId: 'pending.list',
        summary: 'List what awaits a human',
        description: 'Every request of the account, the oldest first; 100 a page by default.',
        tags,
        querystring: Type.Object(PageQuery),
        response: Answers(200, Type.Array(Ref(schema.WaitingRun)), 'A page of requests.'),
      },
    },
    async (request, reply) => {
      const pageRequest = toPageRequest(request.query, 'list pending requests')
      const page = await listPending(request.ctx, pageRequest)
      return { data: sendPage(request, reply, page) }
    },
  )

  app.post(
    '/v1/runs/:id/cancel',
    {
      config: { operation: 'runs.cancel', action: 'cancel run' },
      schema: {
        operationId: 'runs.cancel',
        summary: 'Cancel a run',
        description: 'Ends a run that has not ended; one that has comes back unchanged.',
        tags,
        params,
        response: Answers(200, Ref(schema.Run), 'The run.'),
      },
    },
    async (request) => ({ data: await cancelRun(request.ctx, request.params.id) }),
  )

  app.post(
    '/v1/runs/:id/retry',
    {
      config: { operation: 'runs.retry', action: 'retry run' },
      schema: {
        operationId: 'runs.retry',
        summary: 'Retry a failed run',
        description:
          'A new run takes over the finished steps and goes on at the step that failed, with the ' +
          'workflow as it is now.',
        tags,
        params,
        response: Answers(202, Ref(schema.Run), 'The new run.'),
      },
    },
    async (request, reply) => {
      reply.status(202)
      return { data: await retryRun(request.ctx, request.params.id) }
    },
  )
}

async function* frames(
  source: Awaited<ReturnType<typeof streamEvents>>,
): AsyncGenerator<SseEvent[]> {
  for await (const events of source) {
    yield events.map((event) => ({ id: String(event.sequence), type: event.type, data: event }))
  }
}
