import { LRUCache } from 'lru-cache'
import { Exchange, type ExchangeOptions } from './exchange.ts'
import { openMcpSession, type McpServer, type McpServices, type McpSession } from './session.ts'

/**
 * This process's sessions with MCP servers, one for each run and server: the server's state of a
 * run's calls, such as a browser page, is available to its next call. A session is opened at the
 * first call, and closed when the run ends, after an idle time, or if an account has too many idle
 * ones. A run that continues in another process gets a new session there.
 */
export class McpSessions implements AsyncDisposable {
  readonly #services: McpServices
  readonly #limits: SessionLimits
  /** By run and connector, the most recently used last. */
  readonly #kept = new Map<string, Kept>()

  constructor(services: McpServices, limits: Partial<SessionLimits> = {}) {
    const earlier = new LRUCache<string, true>({ max: 1_000, ttl: earlierForMs })
    this.#services = { earlier, ...services }
    this.#limits = { ...defaultLimits, ...limits }
  }

  /**
   * Makes a call in the session of its run, or in one of its own. A session that the server no
   * longer knows is reopened once: `isLost` identifies errors that mean this, and that nothing was
   * done.
   */
  async use<T>(
    server: McpServer,
    owner: SessionOwner | undefined,
    options: ExchangeOptions,
    work: (session: McpSession, isReplacement: boolean) => Promise<T>,
    isLost: (error: unknown) => Promise<boolean>,
  ): Promise<T> {
    if (owner === undefined) {
      const session = await openMcpSession(this.#services, server, new Exchange(options))
      try {
        return await work(session, false)
      } finally {
        void session.close()
      }
    }
    for (let isRepeated = false; ; isRepeated = true) {
      const key = keyOf(owner.runId, owner.connectorId)
      const kept = await this.#take(key, server, owner, options)
      try {
        const { session, isReplacement } = await orAborted(kept.opened, options.signal)
        const isToReport = isReplacement && !kept.isReported
        kept.isReported = true
        kept.made.add(owner.callId)
        return await work(session, isToReport)
      } catch (error) {
        if (kept.isStateful === true && (await isLost(error))) {
          this.#drop(key, kept)
          if (!isRepeated) continue
        }
        throw error
      } finally {
        kept.busy--
        if (kept.busy === 0) this.#rest(key, kept)
      }
    }
  }

  /** Closes a run's sessions, because it ended or another process executes it. */
  end(runId: string): void {
    const prefix = keyOf(runId, '')
    for (const [key, kept] of this.#kept) if (key.startsWith(prefix)) this.#drop(key, kept)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#kept.values()]
    this.#kept.clear()
    await Promise.allSettled(all.map((kept) => close(kept)))
  }

  /** Gets the session for one more call. */
  async #take(
    key: string,
    server: McpServer,
    owner: SessionOwner,
    options: ExchangeOptions,
  ): Promise<Kept> {
    for (;;) {
      const found = this.#kept.get(key)
      if (found === undefined) break
      found.busy++
      clearTimeout(found.idle)
      if (await this.#isStillOurs(found, owner).catch(() => false)) return found
      found.busy--
      this.#drop(key, found)
    }
    const kept: Kept = {
      accountId: owner.accountId,
      version: owner.version,
      attempt: owner.attempt,
      opened: this.#open(server, owner, options),
      isStateful: undefined,
      made: new Set(),
      isReported: false,
      busy: 1,
      idle: undefined,
    }
    this.#kept.set(key, kept)
    kept.opened.then(
      ({ session }) => (kept.isStateful = session.isStateful),
      () => this.#drop(key, kept),
    )
    return kept
  }

  async #open(server: McpServer, owner: SessionOwner, options: ExchangeOptions): Promise<Opened> {
    const session = await openMcpSession(this.#services, server, new Exchange(options))
    const isReplacement = session.isStateful && (await owner.hasOtherCalls([]))
    return { session, isReplacement }
  }

  /**
   * If the run was taken again, another process may have called the server in a session of its own
   * in between.
   */
  async #isStillOurs(kept: Kept, owner: SessionOwner): Promise<boolean> {
    if (kept.version !== owner.version) return false
    if (kept.attempt === owner.attempt) return true
    if (await owner.hasOtherCalls([...kept.made])) return false
    kept.attempt = owner.attempt
    return true
  }

  #rest(key: string, kept: Kept): void {
    if (this.#kept.get(key) !== kept) return void close(kept)
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    kept.idle = setTimeout(() => this.#drop(key, kept), this.#limits.idleMs).unref()
    const idle = [...this.#kept].filter(([, { busy }]) => busy === 0)
    const own = idle.filter(([, { accountId }]) => accountId === kept.accountId)
    const { idlePerAccount, idleInAll } = this.#limits
    const [oldest] = own.length > idlePerAccount ? own : idle.length > idleInAll ? idle : []
    if (oldest !== undefined) this.#drop(...oldest)
  }

  /** Closes a session after its calls in progress; no new call gets it. */
  #drop(key: string, kept: Kept): void {
    clearTimeout(kept.idle)
    if (this.#kept.get(key) === kept) this.#kept.delete(key)
    if (kept.busy === 0) void close(kept)
  }
}

async function close({ opened }: Kept): Promise<void> {
  const { session } = await opened.catch(() => ({ session: undefined }))
  await session?.close()
}

/**
 * Rejects when the signal aborts. The session may be opened for another call, which has more time
 * than this one.
 */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: result, resolve, reject } = Promise.withResolvers<T>()
  const abort = (): void => reject(signal.reason as Error)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  promise.then(resolve, reject)
  return result.finally(() => signal.removeEventListener('abort', abort))
}

/** The call that a session is used for. */
export interface SessionOwner {
  accountId: string
  runId: string
  /** Changes whenever the run is taken. */
  attempt: number
  callId: string
  connectorId: string
  /** Version of the connector's credentials. */
  version: string
  /** Whether the run has called the server before, other than with these calls. */
  hasOtherCalls(callIds: readonly string[]): Promise<boolean>
}

interface SessionLimits {
  idleMs: number
  idlePerAccount: number
  idleInAll: number
}

/** How long a server is taken for one of an earlier protocol. */
const earlierForMs = 10 * 60_000

const defaultLimits: SessionLimits = {
  idleMs: 10 * 60_000,
  idlePerAccount: 50,
  idleInAll: 500,
}

interface Kept extends Pick<SessionOwner, 'accountId' | 'version' | 'attempt'> {
  opened: Promise<Opened>
  /** Undefined until it is open. */
  isStateful: boolean | undefined
  /** Calls that were made in it. */
  made: Set<string>
  /** Whether the agent was informed that the session is new. */
  isReported: boolean
  /** Calls in progress. */
  busy: number
  idle: NodeJS.Timeout | undefined
}

interface Opened {
  session: McpSession
  /** The run had called the server before, in a session that is gone. */
  isReplacement: boolean
}

function keyOf(runId: string, connectorId: string): string {
  return `${runId} ${connectorId}`
}
