import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import type { Notices } from '../../db/notices.ts'
import type { Fence, RunKey } from './run.ts'
import { storable, wholeEnd } from '../../storable.ts'

/**
 * Text of models while they speak, from the process that carries a run to those where somebody watches it.
 * Nothing is stored. Who watches says so to all processes, again every few seconds; a worker asks a map
 * in its memory, and streams a call only where it is wanted. Pieces name their place in the text, so a watcher
 * knows what it has missed and asks for all from the start. What gets lost all the same is found in the
 * stored output (`runs/stream-text-store.ts`).
 */
export interface SpokenText {
  order: number
  turn: number
  /** Which call: a later one of the same turn begins anew. */
  attempt: number
  call: number
  text: string
}

interface Piece extends SpokenText {
  run: string
  offset: number
}

const pieceChannel = 'muster_deltas'
const wantChannel = 'muster_wants'
const wantedMs = 15_000
const renewEveryMs = 5_000
/** Of one run, at most 20 a second. */
const gapMs = 50
/** UTF-16 units: even if each is escaped, a notice holds them. */
const pieceUnits = 1_200
const piecesAtOnce = 16
const maxUnits = 256 * 1024
const mostWanted = 10_000

const nameOf = ({ accountId, runId }: RunKey): string => `${accountId} ${runId}`

interface Voice extends Disposable {
  say: (text: string) => void
}

interface Watched {
  key: RunKey
  spoken: SpokenText | undefined
  feeds: Set<() => void>
  timer: NodeJS.Timeout
}

export class Deltas implements Disposable {
  readonly #database: Database
  readonly #onError: (error: unknown) => void
  readonly #watched = new Map<string, Watched>()
  readonly #wanted = new Map<string, number>()
  readonly #speakers = new Map<string, Speaker>()
  #calls = 0
  #isClosed = false

  constructor(database: Database, notices: Notices, onError: (error: unknown) => void) {
    this.#database = database
    this.#onError = onError
    notices.on(wantChannel, (payload) => payload !== undefined && this.#hearWant(payload))
    notices.on(pieceChannel, (payload) => this.#hearPiece(payload))
  }

  /** Somebody will watch the run at once. */
  async want(key: RunKey): Promise<void> {
    this.#hearWant(nameOf(key))
    await this.#send(wantChannel, [nameOf(key)])
  }

  /** What is spoken from now on, until the signal aborts; `changed` is called when there is more. */
  watch(key: RunKey, changed: () => void, signal: AbortSignal): () => SpokenText | undefined {
    const name = nameOf(key)
    const want = (): void => void this.want(key).catch(this.#onError)
    const watched = this.#watched.getOrInsertComputed(name, () => ({
      key,
      spoken: undefined,
      feeds: new Set(),
      timer: setInterval(want, renewEveryMs),
    }))
    watched.feeds.add(changed)
    want()
    const leave = (): void => {
      watched.feeds.delete(changed)
      if (watched.feeds.size > 0) return
      clearInterval(watched.timer)
      if (this.#watched.get(name) === watched) this.#watched.delete(name)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return () => watched.spoken
  }

  /** Who passes on what a model says, until disposed of; undefined while nobody listens. */
  speaker(fence: Fence, order: number, turn: number): Voice | undefined {
    if (this.#wanted.size === 0) return undefined
    const name = nameOf(fence)
    if ((this.#wanted.get(name) ?? 0) < performance.now()) return undefined
    this.#calls += 1
    const at = { order, turn, attempt: fence.attempt, call: this.#calls }
    const speaker = new Speaker((from, text) => this.#speak(name, at, from, text), this.#onError)
    this.#speakers.get(name)?.stop()
    this.#speakers.set(name, speaker)
    return {
      say: (text) => speaker.add(text),
      [Symbol.dispose]: () => {
        speaker.finish()
        // Another call of the run may speak by now.
        if (this.#speakers.get(name) === speaker) this.#speakers.delete(name)
      },
    }
  }

  async #speak(
    run: string,
    at: Omit<SpokenText, 'text'>,
    from: number,
    text: string,
  ): Promise<void> {
    const pieces: string[] = []
    for (let start = 0; start < text.length; start += pieceUnits) {
      const part = text.slice(start, start + pieceUnits)
      const piece: Piece = { run, ...at, offset: from + start, text: part }
      pieces.push(JSON.stringify(piece))
    }
    await this.#send(pieceChannel, pieces)
  }

  async #send(channel: string, payloads: string[]): Promise<void> {
    // A call that has ended may have a last piece to say.
    if (this.#isClosed) return
    await sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as payload`.execute(
      this.#database,
    )
  }

  #hearWant(name: string): void {
    if (this.#wanted.size >= mostWanted) {
      for (const [known, until] of this.#wanted)
        if (until < performance.now()) this.#wanted.delete(known)
    }
    if (this.#wanted.size < mostWanted) this.#wanted.set(name, performance.now() + wantedMs)
    this.#speakers.get(name)?.again()
  }

  #hearPiece(payload: string | undefined): void {
    if (payload === undefined) {
      for (const { key } of this.#watched.values()) void this.want(key).catch(() => {})
      return
    }
    const { run, offset, text, ...at } = JSON.parse(payload) as Piece
    const watched = this.#watched.get(run)
    if (watched === undefined) return
    const { spoken } = watched
    const age = spoken === undefined ? 1 : at.attempt - spoken.attempt || at.call - spoken.call
    if (age < 0) return
    const before = age === 0 && spoken !== undefined ? spoken.text : ''
    if (offset > before.length || offset + text.length > maxUnits) return
    const isNews = offset + text.length > before.length
    if (!isNews) return
    watched.spoken = { ...at, text: before + text.slice(before.length - offset) }
    for (const changed of watched.feeds) changed()
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    for (const { timer, feeds } of this.#watched.values()) {
      clearInterval(timer)
      for (const changed of feeds) changed()
    }
    for (const speaker of this.#speakers.values()) speaker.stop()
  }
}

/** What one call has said, and how far it was sent. */
class Speaker {
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

  /** From the start, for who came late; others pass over what they have. */
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

  /** Half a character waits for the other half. */
  #end(most = Infinity): number {
    const end = Math.min(this.#text.length, most)
    const isLast = this.#isFinished && end === this.#text.length
    return isLast ? end : wholeEnd(this.#text, end)
  }
}
