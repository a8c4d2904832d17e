import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/client.ts'
import type { Notices } from '../../db/notices.ts'
import type { Fence, RunKey } from '../run/run.ts'
import { storable, wholeEnd } from '../../safe-text.ts'

/**
 * Model output as it arrives, from the process that executes a run to the processes where clients
 * follow it. Nothing is stored. A process with clients subscribes at all processes, and renews
 * every few seconds; a worker keeps the subscriptions in memory and streams a call only for
 * subscribers. Each batch carries its offset in the text, so a subscriber that missed one asks for
 * everything from the start. Text that is lost anyway is read from the stored output
 * (`runs/stream-text.ts`).
 */
export interface StreamedText {
  order: number
  turn: number
  /** Identifies the model call: a later call of the same turn starts over. */
  attempt: number
  call: number
  text: string
}

interface Piece extends StreamedText {
  run: string
  offset: number
}

const pieceChannel = 'muster_deltas'
const subscribeChannel = 'muster_wants'
const subscribedMs = 15_000
const renewEveryMs = 5_000
/** Minimum time between notices of one run. */
const gapMs = 50
/** UTF-16 units in a notice: it fits even if each has to be escaped. */
const pieceUnits = 1_200
const piecesAtOnce = 16
const maxUnits = 256 * 1024

const runName = ({ accountId, runId }: RunKey): string => `${accountId} ${runId}`

export interface TokenWriter extends Disposable {
  write: (text: string) => void
}

interface Watched {
  key: RunKey
  streamed: StreamedText | undefined
  feeds: Set<() => void>
  timer: NodeJS.Timeout
}

export class TokenStream implements Disposable {
  readonly #database: Database
  readonly #onError: (error: unknown) => void
  readonly #watched = new Map<string, Watched>()
  readonly #subscribed = new LRUCache<string, true>({ max: 10_000, ttl: subscribedMs })
  readonly #writers = new Map<string, Writer>()
  #calls = 0
  #isClosed = false

  constructor(database: Database, notices: Notices, onError: (error: unknown) => void) {
    this.#database = database
    this.#onError = onError
    notices.on(subscribeChannel, (payload) => payload !== undefined && this.#addSubscriber(payload))
    notices.on(pieceChannel, (payload) => this.#receive(payload))
  }

  /** Subscribes to a run that a client of this process is about to follow. */
  async subscribe(key: RunKey): Promise<void> {
    this.#addSubscriber(runName(key))
    await this.#notify(subscribeChannel, [runName(key)])
  }

  /** Follows the text from now on, until the signal aborts; calls `changed` when there is more. */
  follow(key: RunKey, changed: () => void, signal: AbortSignal): () => StreamedText | undefined {
    const name = runName(key)
    const subscribe = (): void => void this.subscribe(key).catch(this.#onError)
    const watched = this.#watched.getOrInsertComputed(name, () => ({
      key,
      streamed: undefined,
      feeds: new Set(),
      timer: setInterval(subscribe, renewEveryMs),
    }))
    watched.feeds.add(changed)
    subscribe()
    const leave = (): void => {
      watched.feeds.delete(changed)
      if (watched.feeds.size > 0) return
      clearInterval(watched.timer)
      if (this.#watched.get(name) === watched) this.#watched.delete(name)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return () => watched.streamed
  }

  /** Streams the text of a model call until disposed; undefined if no client follows the run. */
  open(fence: Fence, order: number, turn: number): TokenWriter | undefined {
    if (this.#subscribed.size === 0) return undefined
    const name = runName(fence)
    if (!this.#subscribed.has(name)) return undefined
    this.#calls += 1
    const at = { order, turn, attempt: fence.attempt, call: this.#calls }
    const writer = new Writer((from, text) => this.#send(name, at, from, text), this.#onError)
    this.#writers.get(name)?.stop()
    this.#writers.set(name, writer)
    return {
      write: (text) => writer.add(text),
      [Symbol.dispose]: () => {
        writer.finish()
        // Another call of the run may be streaming already.
        if (this.#writers.get(name) === writer) this.#writers.delete(name)
      },
    }
  }

  async #send(
    run: string,
    at: Omit<StreamedText, 'text'>,
    from: number,
    text: string,
  ): Promise<void> {
    const pieces: string[] = []
    for (let start = 0; start < text.length; start += pieceUnits) {
      const part = text.slice(start, start + pieceUnits)
      const piece: Piece = { run, ...at, offset: from + start, text: part }
      pieces.push(JSON.stringify(piece))
    }
    await this.#notify(pieceChannel, pieces)
  }

  async #notify(channel: string, payloads: string[]): Promise<void> {
    // A call that ended may still have a last batch to send.
    if (this.#isClosed) return
    await sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as payload`.execute(
      this.#database,
    )
  }

  #addSubscriber(name: string): void {
    this.#subscribed.set(name, true)
    this.#writers.get(name)?.again()
  }

  #receive(payload: string | undefined): void {
    if (payload === undefined) {
      for (const { key } of this.#watched.values()) void this.subscribe(key).catch(() => {})
      return
    }
    const { run, offset, text, ...at } = JSON.parse(payload) as Piece
    const watched = this.#watched.get(run)
    if (watched === undefined) return
    const { streamed } = watched
    const age =
      streamed === undefined ? 1 : at.attempt - streamed.attempt || at.call - streamed.call
    if (age < 0) return
    const before = age === 0 && streamed !== undefined ? streamed.text : ''
    if (offset > before.length || offset + text.length > maxUnits) return
    const isNews = offset + text.length > before.length
    if (!isNews) return
    watched.streamed = { ...at, text: before + text.slice(before.length - offset) }
    for (const changed of watched.feeds) changed()
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    for (const { timer, feeds } of this.#watched.values()) {
      clearInterval(timer)
      for (const changed of feeds) changed()
    }
    for (const writer of this.#writers.values()) writer.stop()
  }
}

/** The text of one call, and how much of it was sent. */
class Writer {
  readonly #send: (from: number, text: string) => Promise<void>
  readonly #onError: (error: unknown) => void
  #text = ''
  #sent = 0
  #sentAt = 0
  #timer: NodeJS.Timeout | undefined
  #isSending = false
  #isFinished = false

  constructor(
    send: (from: number, text: string) => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#send = send
    this.#onError = onError
  }

  add(text: string): void {
    if (this.#text.length > maxUnits) return
    this.#text += text
    this.#plan()
  }

  /** Sends everything from the start, for a late client; others skip what they have. */
  again(): void {
    this.#sent = 0
    this.#plan()
  }

  finish(): void {
    this.#isFinished = true
    this.#plan()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#text = ''
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#isSending || this.#end() <= this.#sent) return
    const waitMs = Math.max(0, this.#sentAt + gapMs - performance.now())
    this.#timer = setTimeout(() => void this.#flush(), waitMs)
  }

  async #flush(): Promise<void> {
    this.#timer = undefined
    this.#isSending = true
    this.#sentAt = performance.now()
    const from = this.#sent
    const to = this.#end(from + pieceUnits * piecesAtOnce)
    this.#sent = to
    try {
      await this.#send(from, storable(this.#text.slice(from, to)))
    } catch (error) {
      this.#onError(error)
    }
    this.#isSending = false
    this.#plan()
  }

  /** Never splits a surrogate pair: its first half waits for the second. */
  #end(most = Infinity): number {
    const end = Math.min(this.#text.length, most)
    const isLast = this.#isFinished && end === this.#text.length
    return isLast ? end : wholeEnd(this.#text, end)
  }
}
