import Type from 'typebox'
import type { Hint } from '../engine/feed/account-changes.ts'
import type { StoredEvent } from '../engine/reads/events.ts'
import { RunEvent } from '../engine/wire/events.ts'
import { AccountEvent } from '../engine/wire/run.ts'
import { eventStream } from '../http/answer-shapes.ts'
import { operation, type Operation } from '../http/operation.ts'
import { sendEvents, type SseEvent } from '../http/sse.ts'
import { streamEvents } from './stream-events.ts'
import { withText, type TextEvent } from './stream-text.ts'

const deltas = Type.Boolean({
  description:
    "Also stream the models' text as it is written, as `step.delta` and `step.text`; these are not stored and " +
    'have no id.',
})
const lastEventId = Type.String({
  maxLength: 9,
  pattern: '^[0-9]{1,9}$',
  description: 'A sequence number: events after it are sent.',
})

/** The server-sent events of a run and of an account. */
export const streamOperations: Operation[] = [
  operation({
    id: 'runs.events',
    route: 'GET /v1/runs/:id/events',
    role: 'viewer',
    action: 'stream events of run',
    summary: 'Stream the events of a run',
    description:
      'Server-sent events from the stored log. `id` is the sequence number: send it as `Last-Event-ID` to ' +
      'resume. The stream ends when the run has ended.',
    query: { deltas: Type.Optional(deltas) },
    headers: { 'last-event-id': Type.Optional(lastEventId) },
    answer: eventStream(RunEvent, 'Events of the run, each as the data of one frame.'),
    verb: async ({ ctx, params, query, headers, request, reply }) => {
      const after = Number(headers['last-event-id'] ?? 0)
      const signal = request.server.held.hold(request, reply)
      const { large } = request.server
      const inTurn = <T>(work: () => Promise<T>) => large.read(request, work)
      const log = await streamEvents(ctx, params.id, after, signal, inTurn)
      const run = { id: params.id, after }
      const source = query.deltas === true ? withText(ctx, run, log, signal) : log.events
      sendEvents(reply, frames(source))
    },
  }),
  operation({
    id: 'events.stream',
    route: 'GET /v1/events',
    role: 'viewer',
    action: 'stream events of the account',
    summary: 'Stream changes in the account',
    description:
      'Server-sent hints to reload data: changed runs and waiting requests. This is not a log: a run is named ' +
      'at most four times a second, with its current state, and nothing is sent again. The stream ends if a ' +
      'hint may have been missed: open a new one, then reload what you show.',
    answer: eventStream(AccountEvent, 'Hints, each as the data of one frame.'),
    verb: async ({ ctx, request, reply }) => {
      const signal = request.server.held.hold(request, reply)
      sendEvents(reply, hints(await ctx.feed.follow(ctx.accountId, signal)))
    },
  }),
]

async function* frames(
  source: AsyncGenerator<(StoredEvent | TextEvent)[]>,
): AsyncGenerator<SseEvent[]> {
  for await (const events of source) {
    yield events.map((event) =>
      'sequence' in event
        ? { id: String(event.sequence), type: event.type, data: event }
        : { type: event.type, data: { type: event.type, ...event.data } },
    )
  }
}

async function* hints(source: AsyncGenerator<Hint[]>): AsyncGenerator<SseEvent[]> {
  for await (const some of source) {
    yield some.flatMap(({ runId: run_id, status, sequence, pendingId, mayHaveNewRequest }) => {
      const moved = toFrame({ type: 'run.changed', run_id, status, sequence })
      if (!mayHaveNewRequest) return [moved]
      return [moved, toFrame({ type: 'pending.changed', run_id, pending_id: pendingId })]
    })
  }
}

function toFrame(data: AccountEvent): SseEvent {
  return { type: data.type, data }
}
