import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Server-sent events: one frame for each event, a comment where there is nothing to say. */
export interface SseEvent {
  /** Where the stream can be resumed behind it. */
  id?: string
  type: string
  data: unknown
}

/** Answers with the events of a source. */
export function sendEvents(reply: FastifyReply, source: AsyncGenerator<SseEvent[]>): void {
  reply.header('content-type', 'text/event-stream; charset=utf-8')
  reply.header('cache-control', 'no-store')
  // A stream's end is the connection's, so that a stopping process does not wait for it.
  reply.header('connection', 'close')
  // Tells nginx not to gather the stream.
  reply.header('x-accel-buffering', 'no')
  // Ends when the source does, and stops it when the client leaves.
  void reply.send(Readable.from(frames(source), { objectMode: false, highWaterMark: 64 * 1024 }))
}

async function* frames(source: AsyncGenerator<SseEvent[]>): AsyncGenerator<string> {
  // Opens the stream at once, so that the client sees the headers.
  yield ': open\n\n'
  for await (const events of source)
    yield events.length === 0 ? ': wait\n\n' : events.map(frame).join('')
}

function frame({ id, type, data }: SseEvent): string {
  const place = id === undefined ? '' : `id: ${id}\n`
  return `${place}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
