import Type from 'typebox'
import {
  accepted,
  createdOrFound,
  deleted,
  eventStream,
  list,
  listByText,
  ok,
} from '../../http/answer-shapes.ts'
import { operation, type Resource } from '../../http/operation.ts'
import { sendEvents } from '../../http/sse.ts'
import { StringEnum } from '../../wire-types.ts'
import * as messageVerbs from './messages.ts'
import * as schema from './schema.ts'
import { streamThread } from './stream.ts'
import * as verbs from './threads.ts'

const lastEventId = Type.String({
  maxLength: 16,
  pattern: '^[0-9]{1,16}$',
  description: 'An id of this stream: events after it are sent.',
})

export const threads: Resource = {
  tag: 'Threads',
  about: 'Conversations with workflows: each message is a turn, and each turn is a run.',
  ids: { threads: 'Thread id.' },
  schemas: schema,
  operations: [
    operation({
      id: 'threads.create',
      route: 'POST /v1/threads',
      cli: { args: ['workflow_id'] },
      role: 'member',
      audit: 'thread.created',
      action: 'create thread',
      summary: 'Create a thread',
      description:
        'A conversation with a workflow whose `thread` is set. With a `key` that a thread of the workflow has, ' +
        'that thread is returned, with status 200.',
      body: schema.CreateThread,
      answer: createdOrFound(schema.Thread, 'The thread.'),
      creates: 'thr',
      verb: ({ ctx, reservedId, body }) => verbs.createThread(ctx, reservedId, body),
    }),
    operation({
      id: 'threads.list',
      route: 'GET /v1/threads',
      cli: { limit: 50, options: { q: 'find' } },
      columns: [
        'id',
        'title',
        'status',
        'turns',
        'waiting',
        'cost_usd as cost',
        'updated_at as changed',
      ],
      role: 'viewer',
      action: 'list threads',
      summary: 'List threads',
      description: 'Most recently changed first, 50 a page by default. Filters can be combined.',
      query: schema.threadsQuery,
      answer: list(schema.Thread, 'A page of threads.'),
      verb: ({ ctx, page, query }) => verbs.listThreads(ctx, page, query),
    }),
    operation({
      id: 'threads.retrieve',
      route: 'GET /v1/threads/:id',
      role: 'viewer',
      action: 'retrieve thread',
      summary: 'Retrieve a thread',
      description: 'With what it has cost, and what it waits for.',
      answer: ok(schema.Thread, 'The thread.'),
      verb: ({ ctx, params }) => verbs.retrieveThread(ctx, params.id),
    }),
    operation({
      id: 'threads.update',
      route: 'PATCH /v1/threads/:id',
      role: 'member',
      audit: 'thread.updated',
      action: 'update thread',
      summary: 'Update a thread',
      description: 'Changes its title or tags, closes it, or opens it again.',
      body: schema.UpdateThread,
      answer: ok(schema.Thread, 'The thread.'),
      verb: ({ ctx, params, body }) => verbs.updateThread(ctx, params.id, body),
    }),
    operation({
      id: 'threads.delete',
      route: 'DELETE /v1/threads/:id',
      role: 'member',
      audit: 'thread.deleted',
      action: 'delete thread',
      summary: 'Delete a thread',
      description:
        'Deletes its messages, its summaries and the runs of its turns. 409 while a turn is in progress.',
      answer: deleted('Deleted.'),
      verb: ({ ctx, params }) => verbs.deleteThread(ctx, params.id),
    }),
    operation({
      id: 'threads.send',
      route: 'POST /v1/threads/:id/messages',
      cli: { command: 'threads send', args: ['input?'], options: { files: 'attach' } },
      role: 'member',
      audit: 'thread.message_sent',
      action: 'send message',
      summary: 'Send a message',
      description:
        'Its turn begins after those of the messages before it. Up to 20 messages wait beside the turn in progress. A ' +
        'message never answers a waiting request.',
      query: {
        deltas: Type.Optional(
          Type.Boolean({
            description:
              'Announces that the events will be streamed with `deltas`, so that the first model call is streamed too.',
          }),
        ),
      },
      body: schema.CreateMessage,
      answer: accepted(schema.ThreadMessage, 'The message.'),
      creates: 'msg',
      verb: async ({ ctx, params, query, reservedId, body }) => {
        const announce = async (runId: string) =>
          ctx.feed.tokens.subscribe({ accountId: ctx.accountId, runId })
        const announced = query.deltas === true ? announce : undefined
        return messageVerbs.sendMessage(ctx, params.id, reservedId, body, announced)
      },
    }),
    operation({
      id: 'threads.messages',
      route: 'GET /v1/threads/:id/messages',
      cli: { command: 'threads messages', limit: 50 },
      columns: ['turn', 'role', 'text', 'status', 'why', 'run_id as run'],
      role: 'viewer',
      action: 'list messages of thread',
      summary: 'List the messages of a thread',
      description:
        'By turn, the message before its answer, 50 a page by default; or with `order=desc` the newest first.',
      query: {
        order: Type.Optional(
          StringEnum(['asc', 'desc'] as const, {
            description: '`asc` begins with the first turn, `desc` with the newest.',
            default: 'asc',
          }),
        ),
      },
      answer: listByText(schema.ThreadMessage, 'A page of messages.'),
      verb: ({ ctx, params, page, query }) =>
        messageVerbs.listMessages(ctx, params.id, page, query.order),
    }),
    operation({
      id: 'threads.stop',
      route: 'POST /v1/threads/:id/stop',
      role: 'member',
      audit: 'thread.stopped',
      action: 'stop thread',
      summary: 'Stop the turn in progress',
      description:
        'Cancels the run of the turn in progress. Messages that wait for their turn are kept, and go on, unless ' +
        '`queued` is `cancel`.',
      body: schema.StopThread,
      answer: ok(schema.Thread, 'The thread.'),
      verb: ({ ctx, params, body }) => messageVerbs.stopThread(ctx, params.id, body),
    }),
    operation({
      id: 'threads.summaries',
      route: 'GET /v1/threads/:id/summaries',
      cli: { command: 'threads summaries', limit: 50 },
      columns: [
        'through_turn',
        'tokens_before',
        'tokens_after',
        'model',
        'cost_usd as cost',
        'text',
      ],
      role: 'viewer',
      action: 'list summaries of thread',
      summary: 'List the summaries of a thread',
      description: 'Newest first, 50 a page by default.',
      answer: listByText(schema.ThreadSummary, 'A page of summaries.'),
      verb: ({ ctx, params, page }) => messageVerbs.listSummaries(ctx, params.id, page),
    }),
    operation({
      id: 'threads.events',
      route: 'GET /v1/threads/:id/events',
      role: 'viewer',
      action: 'stream events of thread',
      summary: 'Stream the events of a thread',
      description:
        'One stream of server-sent events over all turns: the events of their runs, and `message.changed`. `id` grows ' +
        'over the whole thread: send it as `Last-Event-ID` to resume. Events without an id are not repeated. The ' +
        'stream ends when the thread is deleted.',
      query: {
        deltas: Type.Optional(
          Type.Boolean({
            description:
              "Also stream the models' text as it is written, as `step.delta` and `step.text`; these are not stored and " +
              'have no id.',
          }),
        ),
      },
      headers: { 'last-event-id': Type.Optional(lastEventId) },
      answer: eventStream(schema.ThreadEvent, 'Events, each as the data of one frame.'),
      verb: async ({ ctx, params, query, headers, request, reply }) => {
        const last = headers['last-event-id']
        const signal = request.server.held.hold(request, reply)
        const { large } = request.server
        const inTurn = <T>(work: () => Promise<T>) => large.read(request, work)
        const from = {
          after: last === undefined ? undefined : Number(last),
          deltas: query.deltas === true,
        }
        sendEvents(reply, await streamThread(ctx, params.id, from, signal, inTurn))
      },
    }),
  ],
}
