import { readCsv } from './csv.ts'
import { MusterError, timeoutError } from './errors.ts'
import {
  RunsResource,
  type RunsListAllQuery,
  type RespondedRun,
  type RespondToRun,
  type RunEvent,
  type RunWithSteps,
} from './generated.ts'
import { broken, openStream } from './event-stream.ts'
import { delay, within } from './time.ts'
import { queryOf, type RequestOptions } from './transport.ts'

/** Run methods in addition to the generated ones: waiting for a run and following its events. */
export interface WaitOptions extends RequestOptions {
  /** Timeout; none by default. After it: `MusterError` with code `timeout`. */
  timeoutMs?: number
  /** `rest`, the default: ended or waiting for a person. `end`: completed or failed. */
  until?: 'rest' | 'end'
}

export interface StreamOptions extends RequestOptions {
  /** Only events after this sequence number; all by default. */
  after?: number
  /** Called with the models' output as it is written, between the events. */
  onText?: (text: StepText) => void
}

/** A part of a model's output; without `offset` it replaces all earlier text of the turn. */
export interface StepText {
  type: 'step.delta' | 'step.text'
  order: number
  turn: number
  /** Where the text starts, in UTF-16 units. */
  offset?: number
  text: string
}

/** A run with a typed `output_json`. */
export type RunOf<Output extends object> = Omit<RunWithSteps, 'output_json'> & {
  output_json: Output | null
}

const pollSeconds = 30
const pauseMs = 1_000
/** Retries after a lost connection, with growing delays: enough for a restart of the service. */
const followRetries = 6
const firstPauseMs = 100
const steadyMs = 10_000

/** An answer to one request. */
export type RunAnswer = Omit<RespondToRun, 'action' | 'pending_id' | 'decisions'> & {
  action: NonNullable<RespondToRun['action']>
}

/** A decision about one of several calls, bound to the request that was shown. */
export type CallDecision = NonNullable<RespondToRun['decisions']>[number] & { pending_id: string }

export class Runs extends RunsResource {
  /** A line of names, then one for each run, page by page, because there may be very many. */
  csv(options: RunsListAllQuery & RequestOptions = {}): AsyncGenerator<string, void, undefined> {
    const request = { path: '/v1/runs', query: { limit: 100, ...queryOf(options) } }
    return readCsv(this.transport, request, options)
  }

  /**
   * Answers the request with this `pending_id`, or several calls by their own, so an answer never
   * counts for another request than the one that was shown.
   */
  override respond(
    id: string,
    body: (RunAnswer & { pending_id: string }) | { decisions: CallDecision[] },
    options: RequestOptions = {},
  ): Promise<RespondedRun> {
    return super.respond(id, body, options)
  }

  /**
   * Resolves when the run is idle. `Output` is the type of `output_json`, such as
   * `FromSchema<typeof schema>`.
   */
  async wait<Output extends object = Record<string, unknown>>(
    id: string,
    options: WaitOptions = {},
  ): Promise<RunOf<Output>> {
    const { until = 'rest', timeoutMs = Infinity, ...call } = options
    const untilItRests = async (signal: AbortSignal, leftMs: () => number) => {
      for (;;) {
        const askedAt = performance.now()
        const wait = Math.max(0, Math.min(pollSeconds, Math.floor(leftMs() / 1000)))
        const run = await this.retrieve(id, { ...this.#following(call), signal, wait })
        if (hasEnded(run) || (until === 'rest' && run.status === 'waiting_input'))
          return run as RunOf<Output>
        // Pauses if the service answers at once, as it does for a run that waits for a person.
        const left = pauseMs - (performance.now() - askedAt)
        if (left > 0) await delay(Math.min(left, leftMs()), signal)
      }
    }
    const late = `Cannot wait for run ${id}: it did not rest within ${timeoutMs} ms`
    return within(timeoutMs, options.signal, untilItRests, (cause) => timeoutError(late, cause))
  }

  /**
   * The events of a run, stored and new ones, each once and in order. A broken connection is
   * resumed after the last event; the stream ends with the last event of the run.
   */
  async *stream(
    id: string,
    options: StreamOptions = {},
  ): AsyncGenerator<RunEvent, void, undefined> {
    const { onText, after = 0, ...call } = options
    const query = onText === undefined ? '' : '?deltas=true'
    const path = `/v1/runs/${encodeURIComponent(id)}/events${query}`
    let sequence = after
    let failures = 0
    let wasEnded = false
    for (;;) {
      const openedAt = performance.now()
      let failure = broken('closed early')
      let hasNew = false
      try {
        const opened = await openStream(this.transport, path, {
          ...this.#following(call),
          headers: { ...call.headers, 'last-event-id': String(sequence) },
        })
        for await (const event of opened as AsyncGenerator<RunEvent | StepText, void, undefined>) {
          if (!('sequence' in event)) {
            onText?.(event)
            continue
          }
          if (event.sequence <= sequence) continue
          sequence = event.sequence
          hasNew = true
          failures = 0
          yield event
          if (event.type === 'run.completed' || event.type === 'run.failed') return
        }
        options.signal?.throwIfAborted()
        // The stream closed without a final event: the service stopped, a proxy cut it, or there are
        // no more events. Only the last is certain of a run that had ended before it was asked for.
        if (wasEnded && !hasNew) return
        wasEnded ||= hasEnded(await this.retrieve(id, this.#following(call)))
        if (wasEnded) continue
      } catch (error) {
        if (options.signal?.aborted) throw options.signal.reason
        if (!(error instanceof MusterError) || error.code !== 'stream_broken') throw error
        failure = error
      }
      // A connection that lasted was fine: a step may take long without an event.
      if (performance.now() - openedAt > steadyMs) failures = 0
      if (failures === followRetries) throw failure
      await delay(firstPauseMs * 2 ** failures++, options.signal)
    }
  }

  /** The options of one call of a longer wait, which survives a restart of the service. */
  #following(call: RequestOptions): RequestOptions {
    return { maxRetries: Math.max(followRetries, this.transport.maxRetries), ...call }
  }
}

function hasEnded({ status }: { status: string }): boolean {
  return status === 'completed' || status === 'failed'
}
