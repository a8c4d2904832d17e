import type { Query, QueryClient } from '@tanstack/react-query'
import type { Muster } from '../../../sdk/client.ts'
import type { AccountEvent } from '../../../sdk/generated.ts'
import { delay } from '../../../sdk/time.ts'
import { mostLivePages } from '../../session/api.ts'
import { listen } from './shared-stream.ts'
import { serverNow } from '../../ui/text/server-time.ts'

/** The state of the stream, and since when the page is not up to date. */
export type Connection = { state: 'opening' | 'live' } | { state: 'broken'; since: number }

export interface Following {
  muster: Muster
  accountId: string
  queries: QueryClient
  signal: AbortSignal
  onChange: (connection: Connection) => void
}

/**
 * Lists are refetched at most this often, however many runs change, and less often if fetching is
 * slow.
 */
const leastPauseMs = 2_000
const pausePerReading = 4
/** Interval for data that changes without a run. */
const allEveryMs = 60_000
/** A restart of the service is shorter, and not shown. */
const patienceMs = 1_500
const brokenEveryMs = 10_000

/**
 * Follows the account's stream until the signal aborts, and refetches what it names if the page
 * shows it. While the stream is broken, everything is refetched at intervals, and once when it is
 * back.
 */
export async function follow(following: Following): Promise<void> {
  const { muster, accountId, queries, signal, onChange } = following
  const reader = new Reader(queries, signal)
  let timer: ReturnType<typeof setTimeout> | undefined
  const readAllAgain = (firstMs: number, everyMs: number) => {
    const read = () => {
      reader.readAll()
      timer = setTimeout(read, everyMs)
    }
    clearTimeout(timer)
    timer = setTimeout(read, firstMs)
  }
  let isBroken = false
  const onBroken = () => {
    if (isBroken) return
    isBroken = true
    onChange({ state: 'broken', since: serverNow() })
    readAllAgain(patienceMs, brokenEveryMs)
  }
  const onOpen = () => {
    isBroken = false
    onChange({ state: 'live' })
    reader.readAll()
    readAllAgain(allEveryMs, allEveryMs)
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  await listen({
    muster,
    accountId,
    signal,
    onMessage: (message) => {
      if (message.kind === 'hint') reader.read(message.hint)
      else if (message.kind === 'open') onOpen()
      else onBroken()
    },
  })
}

/** Refetches stale queries, one round after the other. */
class Reader {
  readonly #queries: QueryClient
  readonly #signal: AbortSignal
  #runs = new Set<string>()
  #isPendingDue = false
  #isReading = false

  constructor(queries: QueryClient, signal: AbortSignal) {
    this.#queries = queries
    this.#signal = signal
  }

  readAll(): void {
    void this.#queries.invalidateQueries({
      predicate: (query) => isFollowed(query) || query.state.status !== 'success',
    })
  }

  read(hint: AccountEvent): void {
    this.#runs.add(hint.run_id)
    if (hint.type === 'pending.changed') this.#isPendingDue = true
    if (!this.#isReading) void this.#readDue()
  }

  async #readDue(): Promise<void> {
    this.#isReading = true
    while (this.#runs.size > 0 && !this.#signal.aborted) {
      const [runs, isPendingDue] = [this.#runs, this.#isPendingDue]
      this.#runs = new Set()
      this.#isPendingDue = false
      const predicate = (query: Query): boolean => {
        const [kind, id] = query.queryKey
        if (kind === 'pending') return isPendingDue
        if (kind === 'run') return runs.has(String(id))
        return isFollowed(query)
      }
      // A request that was sent before the hint may miss the change, so it is repeated.
      if (this.#queries.isFetching({ predicate }) > 0) {
        for (const id of runs) this.#runs.add(id)
        this.#isPendingDue ||= isPendingDue
      }
      const beganAt = performance.now()
      await this.#queries.invalidateQueries({ predicate }, { cancelRefetch: false })
      const tookMs = performance.now() - beganAt
      await delay(Math.max(leastPauseMs, tookMs * pausePerReading), this.#signal).catch(() => {})
    }
    this.#isReading = false
  }
}

function isFollowed({ queryKey: [kind], state: { data } }: Query): boolean {
  if (kind === 'pending' || kind === 'run') return true
  const { pages } = (data ?? {}) as { pages?: unknown[] }
  return kind === 'runs' && (pages?.length ?? 0) <= mostLivePages
}
