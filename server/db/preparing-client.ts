import { createHash } from 'node:crypto'
import pg from 'pg'
import { sql, type RawBuilder } from 'kysely'
import { lateMs } from './cluster/unresponsive-nodes.ts'

/** After an error, the server reports the state of the transaction at once, unless it is gone. */
const standingMs = 1_000

/**
 * A connection that prepares statements with parameters under a name, except those marked
 * `replanned`. It knows whether it is between transactions, and detects that it is lost when an
 * answer does not arrive.
 */
export class PreparingClient extends pg.Client {
  /** False while the server executes a statement. Missing in pg's types. */
  declare readonly readyForQuery: boolean
  #isLost = false
  #askedAt = Number.POSITIVE_INFINITY

  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.once('end', () => (this.#isLost = true))
  }

  get isBetweenTransactions(): boolean {
    return this.readyForQuery && this.getTransactionStatus() === 'I'
  }

  /** Ends a statement that may wait for an unresponsive node, as a broken connection would. */
  endIfLate(): void {
    const isLate = performance.now() - this.#askedAt > lateMs
    if (isLate && !this.readyForQuery) this.connection.stream.destroy()
  }

  // @ts-expect-error -- narrows the overloads of pg to the two forms that are used here
  override query(query: unknown, values?: unknown[], callback?: unknown): unknown {
    const prepared =
      typeof query === 'string' && Array.isArray(values) && values.length > 0 && !isReplanned(query)
        ? { name: statementName(query), text: query }
        : query
    this.#askedAt = performance.now()
    // @ts-expect-error -- as above
    const result: unknown = super.query(prepared, values, callback)
    return result instanceof Promise ? result.catch((error) => this.#settle(error)) : result
  }

  /**
   * pg rejects a statement before the server has reported the state of the transaction, and keeps a
   * connection that has gone silent; this corrects both.
   */
  async #settle(error: unknown): Promise<never> {
    leaveOutValues(error)
    if (error instanceof Error && error.message === 'Query read timeout') {
      this.#isLost = true
      void this.end()
      Object.assign(error, { code: 'ETIMEDOUT' })
    } else if (!this.readyForQuery && !this.#isLost) {
      await this.#standing()
    }
    throw error
  }

  #standing(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, standingMs)
    this.once('drain', resolve).once('end', resolve)
    return promise.finally(() => {
      clearTimeout(timer)
      this.off('drain', resolve).off('end', resolve)
    })
  }
}

/**
 * Removes user data from an error. For invalid data and violated constraints (classes 22 and 23)
 * the server repeats it, as in "Failing row contains (…)"; errors are logged whole, and logs must
 * not contain user data.
 */
function leaveOutValues(error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || !/^2[23]/.test(error.code ?? '')) return
  error.detail = undefined
  error.where = undefined
}

/**
 * Prefix of a statement that is planned for its values each time and not prepared: because its best
 * plan depends on the values, or because it has too many texts.
 */
export const replanned: RawBuilder<unknown> = sql.raw('/* replanned */')

function isReplanned(text: string): boolean {
  return text.startsWith('/* replanned */')
}

const names = new Map<string, string>()

/**
 * The name of a statement: only letters and digits, because it is part of a setting's name on
 * nodes.
 */
export function statementName(text: string): string {
  return names.getOrInsertComputed(
    text,
    () => `s${createHash('sha256').update(text).digest('hex').slice(0, 24)}`,
  )
}
