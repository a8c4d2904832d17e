import type { Context } from '../context.ts'
import type { StoredEvent } from '../engine/reads/events.ts'
import type { StreamedText } from '../engine/feed/token-stream.ts'
import type { EventStream } from './stream-events.ts'
import { readStepOutput } from '../engine/reads/runs.ts'

/** Model output between the events of a run. Its frames have no id, because it is not stored. */
export type TextEvent =
  | { type: 'step.text'; data: { order: number; turn: number; text: string } }
  | { type: 'step.delta'; data: { order: number; turn: number; offset: number; text: string } }

/**
 * Merges the events of a run with its models' output. Batches of text may be lost; before the end
 * of a step is sent, missing text is read from the stored output. No text is sent for steps that
 * ended before a client's first stream. A step's text is sent after its `step.started`, although
 * the model may start before that event is committed.
 */
export async function* withText(
  ctx: Context,
  run: { id: string; after: number },
  { events: source, beganAt }: EventStream,
  signal: AbortSignal,
): AsyncGenerator<(StoredEvent | TextEvent)[]> {
  const leaving = new AbortController()
  let news = Promise.withResolvers<undefined>()
  const key = { accountId: ctx.accountId, runId: run.id }
  const both = AbortSignal.any([signal, leaving.signal])
  const read = ctx.feed.tokens.follow(key, () => news.resolve(undefined), both)
  const client = new Client(ctx, run.id, run.after > 0)
  await client.join(read())
  let isFirst = true
  try {
    let next = ahead(source)
    for (;;) {
      const page = await Promise.race([next, news.promise])
      if (page === undefined) news = Promise.withResolvers()
      else {
        if (page.done === true) return
        const all: (StoredEvent | TextEvent)[] = []
        for (const event of page.value) {
          const isBacklog = run.after === 0 && event.sequence <= beganAt
          if (event.type === 'step.started') client.start(Number(event.data['order']))
          const rest =
            event.type === 'step.completed'
              ? await client.complete(Number(event.data['order']), isBacklog)
              : undefined
          // Text has no id, so it is placed before an event, from which the client can resume.
          all.push(...(rest === undefined ? [] : [rest]), event)
        }
        yield all
        isFirst = false
        next = ahead(source)
      }
      const text = isFirst ? undefined : client.follow(read())
      if (text !== undefined) yield [text]
    }
  } finally {
    leaving.abort()
  }
}

/** Starts to read the next item while the client reads the current one. */
function ahead<T>(source: AsyncGenerator<T>): Promise<IteratorResult<T>> {
  const next = source.next()
  // The failure is handled by the later `await`; this avoids an unhandled rejection until then.
  next.catch(() => {})
  return next
}

/** What one client has received. */
class Client {
  readonly #ctx: Context
  readonly #runId: string
  #has: StreamedText | undefined
  /** The newest step whose start was sent; a resuming client may have had any step. */
  #begun: number
  /** The newest step whose end was sent. */
  #ended = -1
  #isLate = false
  /** The client resumes, and may have text of earlier steps. */
  readonly #isBack: boolean

  constructor(ctx: Context, runId: string, isBack: boolean) {
    this.#isBack = isBack
    this.#begun = isBack ? Infinity : -1
    this.#ctx = ctx
    this.#runId = runId
  }

  /** Sends the text from before the client connected, unless its step has ended. */
  async join(streamed: StreamedText | undefined): Promise<void> {
    if (streamed === undefined) return
    this.#isLate = true
    const step = await this.#readStep(streamed.order)
    if (step === undefined || step.hasEnded) this.#ended = streamed.order
  }

  follow(streamed: StreamedText | undefined): TextEvent | undefined {
    if (streamed === undefined) return undefined
    if (streamed.order <= this.#ended || streamed.order > this.#begun) return undefined
    const { order, turn, attempt, call, text } = streamed
    const had = this.#has
    this.#has = streamed
    if (had?.order === order && had.turn === turn && had.attempt === attempt && had.call === call)
      return rest(had.text, streamed)
    const isLate = this.#isBack || this.#isLate || (had?.order === order && had.turn === turn)
    this.#isLate = false
    if (isLate) return { type: 'step.text', data: { order, turn, text } }
    return { type: 'step.delta', data: { order, turn, offset: 0, text } }
  }

  start(order: number): void {
    this.#begun = order
  }

  async complete(order: number, isBacklog: boolean): Promise<TextEvent | undefined> {
    const has = this.#has
    this.#ended = Math.max(this.#ended, order)
    this.#begun = order
    const hasSome = has?.order === order
    if (isBacklog && !hasSome) return undefined
    const step = await this.#readStep(order)
    if (step?.output == null) return undefined
    const { output: text, turn } = step
    if (hasSome && has.turn === turn && text.startsWith(has.text))
      return rest(has.text, { order, turn, text })
    return { type: 'step.text', data: { order, turn, text } }
  }

  async #readStep(
    order: number,
  ): Promise<{ output: string | null; turn: number; hasEnded: boolean } | undefined> {
    const key = { accountId: this.#ctx.accountId, runId: this.#runId }
    return readStepOutput(this.#ctx.reads, key, order)
  }
}

/** The part of the text that a client does not have. */
function rest(
  had: string,
  { order, turn, text }: Pick<StreamedText, 'order' | 'turn' | 'text'>,
): TextEvent | undefined {
  const offset = had.length
  if (text.length === offset) return undefined
  return { type: 'step.delta', data: { order, turn, offset, text: text.slice(offset) } }
}
