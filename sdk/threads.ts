import { MusterError, timeoutError } from './errors.ts'
import { broken, openStream } from './event-stream.ts'
import { ThreadsResource, type ThreadEvent, type ThreadMessage } from './generated.ts'
import type { StepText } from './runs.ts'
import { delay, within } from './time.ts'
import type { RequestOptions } from './transport.ts'

/** Thread methods in addition to the generated ones: following a thread, and waiting for an answer. */
export interface FollowThreadOptions extends RequestOptions {
  /** Only events after the one with this id; all by default. */
  after?: string
  /** Called with the id of each event that has one, from which a later stream can go on. */
  onId?: (id: string) => void
  /** Called with the models' output as it is written, between the events. */
  onText?: (text: StepText & { message_id: string; thread_turn: number }) => void
}

/** A message that has ended, and its answer if it was answered. */
export interface EndedMessage {
  message: ThreadMessage
  answer: ThreadMessage | undefined
}

type Text = Parameters<NonNullable<FollowThreadOptions['onText']>>[0]

/** Retries after a lost connection, with growing delays: enough for a restart of the service. */
const followRetries = 6
const firstPauseMs = 100
const steadyMs = 10_000
/** Ids of a turn begin at its number times this. */
const idsPerTurn = 1_048_576

function isText(event: ThreadEvent | Text): event is Text {
  return event.type === 'step.delta' || event.type === 'step.text'
}

export class Threads extends ThreadsResource {
  /**
   * The events of all turns of a thread, stored and new ones, in order, and `message.changed`. A broken connection is
   * resumed. Continues until the signal aborts or the thread is deleted.
   */
  async *stream(
    id: string,
    options: FollowThreadOptions = {},
  ): AsyncGenerator<ThreadEvent, void, undefined> {
    const { after, onId, onText, signal, ...call } = options
    const query = onText === undefined ? '' : '?deltas=true'
    const path = `/v1/threads/${encodeURIComponent(id)}/events${query}`
    const maxRetries = Math.max(followRetries, this.transport.maxRetries)
    let last = after
    let failures = 0
    for (;;) {
      const openedAt = performance.now()
      let failure = broken('closed early')
      try {
        const headers = { ...call.headers, ...(last !== undefined && { 'last-event-id': last }) }
        const request = { maxRetries, ...call, headers, ...(signal && { signal }) }
        const opened = await openStream(this.transport, path, request, (one) => {
          last = one
          onId?.(one)
        })
        for await (const event of opened as AsyncGenerator<ThreadEvent | Text, void, undefined>) {
          failures = 0
          if (isText(event)) onText?.(event)
          else yield event
        }
        signal?.throwIfAborted()
      } catch (error) {
        signal?.throwIfAborted()
        // The thread was deleted while it was followed.
        if (error instanceof MusterError && error.status === 404 && last !== after) return
        if (!(error instanceof MusterError) || error.code !== 'stream_broken') throw error
        failure = error
      }
      if (performance.now() - openedAt > steadyMs) failures = 0
      if (failures === followRetries) throw failure
      await delay(firstPauseMs * 2 ** failures++, signal)
    }
  }

  /**
   * Resolves when a message has ended, with its answer if it was answered; with `until` `run`, as soon as its run has
   * begun. `onText` gets the models' output meanwhile.
   */
  async wait(
    id: string,
    message: Pick<ThreadMessage, 'id' | 'turn'>,
    options: Pick<FollowThreadOptions, 'onText' | 'signal'> & {
      timeoutMs?: number
      until?: 'run' | 'end'
    } = {},
  ): Promise<EndedMessage> {
    const { timeoutMs = Infinity, until = 'end', signal, onText } = options
    const late = `Cannot wait for message ${message.id}: it did not end within ${timeoutMs} ms`
    const untilItEnds = async (ending: AbortSignal): Promise<EndedMessage> => {
      const after = String(message.turn * idsPerTurn - 1)
      const following = { after, signal: ending, ...(onText && { onText }) }
      for await (const event of this.stream(id, following)) {
        if (event.type !== 'message.changed' || event.message_id !== message.id) continue
        const { status, run_id: run } = event.message
        const isOpen = ['queued', 'running', 'waiting_input'].includes(status)
        if (isOpen && (until === 'end' || run === null)) continue
        return { message: event.message, answer: event.answer }
      }
      throw broken('closed early')
    }
    return within(timeoutMs, signal, untilItEnds, (cause) => timeoutError(late, cause))
  }
}
