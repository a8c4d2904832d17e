import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../db/client.ts'
import type { Notices } from '../../db/notices.ts'
import { runEach } from '../../db/run.ts'
import { DomainError } from '../../errors.ts'
import { loop, type Loop } from '../../loop.ts'
import { changeChannel } from '../journal/record.ts'
import { readStandings, type Standing } from '../reads/events.ts'
import { sql } from 'kysely'

/**
 * Hints for clients that follow an account: which of its runs changed, in any process. While an
 * account has a stream here, its row in `account_watches` makes every statement that changes one of
 * its runs send a notice; other accounts do not pay for that. Named runs are read together, at most
 * four times a second, so a fast run is reported in its latest state. Hints are never lost
 * silently: if one may have been missed, the stream ends, and the client opens another and reads
 * everything again.
 */
export interface Hint extends Standing {
  /** The run's pending request may have changed. */
  mayHaveNewRequest: boolean
}

const notifyEveryMs = 250
const renewEveryMs = 10_000
/**
 * After this long without a successful renewal, streams end; the database stops sending notices a
 * little later.
 */
const renewedWithinMs = 20_000
const silenceMs = 15_000
/** Transactions are short; one that is longer than this may change a run without a notice. */
const settleMs = 1_000
const readAtOnce = 1_000
/** Changed runs that could not be read yet, or that a slow client has not read. */
const maxPending = 10_000

interface Stream {
  hints: Map<string, Hint>
  wake: () => void
  hasEnded: boolean
}

interface Watched {
  streams: Set<Stream>
  /** Resolves once every change sends a notice. */
  settled: Promise<void>
  /** Changed runs, and whether the pending request of each may have changed. */
  changed: Map<string, boolean>
}

export class AccountChanges implements Disposable {
  readonly #database: Database
  readonly #notices: Notices
  readonly #onError: (error: unknown) => void
  readonly #watched = new Map<string, Watched>()
  readonly #notifications: Loop
  readonly #renewals: Loop
  #renewedAt = 0
  #isClosed = false

  constructor(database: Database, notices: Notices, onError: (error: unknown) => void) {
    this.#database = database
    this.#notices = notices
    this.#onError = onError
    this.#notifications = loop({
      everyMs: Infinity,
      minGapMs: notifyEveryMs,
      tick: () => this.#notify(),
      onError,
    })
    this.#renewals = loop({
      everyMs: () => (this.#watched.size === 0 ? Infinity : renewEveryMs),
      tick: () => this.#renew(),
      onError,
    })
    notices.on(changeChannel, (payload) => this.#receive(payload))
  }

  /**
   * Hints of an account from now on, until the signal aborts or some may have been missed. An empty
   * list means that nothing changed for a while. A slow reader loses nothing: the newest hint of
   * each run is kept for it.
   */
  async follow(accountId: string, signal: AbortSignal): Promise<AsyncGenerator<Hint[]>> {
    const stream: Stream = { hints: new Map(), wake: () => {}, hasEnded: this.#isClosed }
    // A client whose stream ended asks again at once; that must not keep the process from stopping.
    if (this.#isClosed) return readHints(stream)
    const watched = this.#watched.get(accountId) ?? this.#watch(accountId)
    watched.streams.add(stream)
    const leave = () => {
      end(stream)
      watched.streams.delete(stream)
      const isCurrent = this.#watched.get(accountId) === watched
      if (isCurrent && watched.streams.size === 0) this.#watched.delete(accountId)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      await watched.settled
    } catch (error) {
      leave()
      throw error
    }
    return readHints(stream)
  }

  #watch(accountId: string): Watched {
    const watched = {
      streams: new Set<Stream>(),
      settled: this.#settle(accountId),
      changed: new Map(),
    }
    this.#watched.set(accountId, watched)
    if (this.#watched.size === 1) {
      this.#renewedAt = performance.now()
      this.#renewals.wake()
    }
    return watched
  }

  async #settle(accountId: string): Promise<void> {
    if (!this.#notices.isListening) {
      throw new DomainError(
        'database_unavailable',
        'Cannot stream events of the account: the database cannot be listened to at present',
        { retryAfterSeconds: 2 },
      )
    }
    const xid = await watchAccounts(this.#database, [accountId])
    const deadline = performance.now() + settleMs
    while (!(await isPast(this.#database, xid)) && performance.now() < deadline) await delay(20)
  }

  #receive(payload: string | undefined): void {
    if (payload === undefined) return this.#endAll()
    const [accountId = '', runId = '', mark] = payload.split(' ')
    const watched = this.#watched.get(accountId)
    if (watched === undefined) return
    const { changed } = watched
    changed.set(runId, mark === 'p' || changed.get(runId) === true)
    if (changed.size > maxPending) this.#end(accountId, watched)
    this.#notifications.wake()
  }

  /** Reads the runs that notices named, of all accounts, and passes them to the streams. */
  async #notify(): Promise<void> {
    const named = [...this.#watched].flatMap(([accountId, watched]) => {
      const runs = [...watched.changed].map(([runId, mayHaveNewRequest]) => ({
        accountId,
        runId,
        watched,
        mayHaveNewRequest,
      }))
      watched.changed.clear()
      return runs
    })
    try {
      for (let start = 0; start < named.length; start += readAtOnce) {
        const part = named.slice(start, start + readAtOnce)
        const read = (some: typeof part) => readStandings(this.#database, some)
        const answers = await runEach(this.#database, part, read, { isPartial: true })
        const standings = new Map(answers.map((answer) => [answer.runId, answer]))
        for (const { accountId, runId, watched, mayHaveNewRequest } of part) {
          const standing = standings.get(runId)
          // The connection to the run's shard is lost.
          if (standing === undefined) this.#end(accountId, watched)
          else if (standing.status !== null) pass(watched, { ...standing, mayHaveNewRequest })
        }
      }
    } catch (error) {
      this.#onError(error)
      for (const { accountId, watched } of named) this.#end(accountId, watched)
    }
  }

  async #renew(): Promise<void> {
    if (this.#watched.size === 0) return
    const beganAt = performance.now()
    try {
      await watchAccounts(this.#database, [...this.#watched.keys()])
      this.#renewedAt = beganAt
    } catch (error) {
      if (performance.now() - this.#renewedAt > renewedWithinMs) this.#endAll()
      throw error
    }
  }

  #endAll(): void {
    for (const [accountId, watched] of this.#watched) this.#end(accountId, watched)
  }

  /** Ends an account's streams; the next one starts over. */
  #end(accountId: string, watched: Watched): void {
    if (this.#watched.get(accountId) === watched) this.#watched.delete(accountId)
    for (const stream of watched.streams) end(stream)
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    void this.#notifications.stop()
    void this.#renewals.stop()
    this.#endAll()
  }
}

function pass({ streams }: Watched, hint: Hint): void {
  for (const stream of streams) {
    const before = stream.hints.get(hint.runId)?.mayHaveNewRequest === true
    stream.hints.set(hint.runId, { ...hint, mayHaveNewRequest: hint.mayHaveNewRequest || before })
    if (stream.hints.size > maxPending) end(stream)
    else stream.wake()
  }
}

function end(stream: Stream): void {
  stream.hasEnded = true
  stream.hints.clear()
  stream.wake()
}

async function* readHints(stream: Stream): AsyncGenerator<Hint[]> {
  while (!stream.hasEnded) {
    if (stream.hints.size === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, silenceMs)
      stream.wake = resolve
      await promise
      clearTimeout(timer)
    }
    if (stream.hasEnded) return
    const hints = [...stream.hints.values()]
    stream.hints.clear()
    yield hints
  }
}

/** How long an account counts as watched without a renewal. */
const watchSeconds = 30

/** Marks accounts as watched; returns the transaction's id. */
async function watchAccounts(database: Database, accountIds: string[]): Promise<string> {
  const { rows } = await sql<{ xid: string }>`
    insert into account_watches (account_id, until)
    select id, now() + make_interval(secs => ${watchSeconds})
    from unnest(${accountIds}::text[]) as watched (id) order by id
    on conflict (account_id) do update set until = excluded.until
    returning pg_current_xact_id()::text as xid`.execute(database)
  return rows[0]?.xid ?? ''
}

/**
 * Whether all transactions that started before that one was visible have ended: every later one
 * sends notices.
 */
async function isPast(database: Database, xid: string): Promise<boolean> {
  const { rows } = await sql<{ past: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > ${xid}::xid8 as past`.execute(database)
  return rows[0]?.past === true
}
