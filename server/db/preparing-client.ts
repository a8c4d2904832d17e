import { createHash } from 'node:crypto'
import pg from 'pg'
import { sql, type RawBuilder } from 'kysely'
import { lateMs } from './cluster/unresponsive-nodes.ts'

/** After a failure the server says at once how the transaction stands, unless it is gone. */
const standingMs = 1_000

/**
 * A connection whose statements with parameters are named prepared ones, but for those that say `replanned`. It
 * knows whether it is between transactions, and that it is lost when an answer does not come.
 */
export class PreparingClient extends pg.Client {
  /** False from a statement's start to the server's word that it has ended. Not in the types of pg. */
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
   * pg fails a statement before the server has told how the transaction stands, and keeps a connection
   * that went silent.
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
 * Data that the server refuses, or that breaks a constraint (classes 22 and 23), is shown beside the message, as in
 * "Failing row contains (…)". Errors are logged whole, and logs have no texts of users.
 */
function leaveOutValues(error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || !/^2[23]/.test(error.code ?? '')) return
  error.detail = undefined
  error.where = undefined
}

/**
 * At the start of a statement that is planned for its values each time and not kept: one whose best plan
 * differs from value to value, or that has many texts.
 */
export const replanned: RawBuilder<unknown> = sql.raw('/* replanned */')

function isReplanned(text: string): boolean {
  return text.startsWith('/* replanned */')
}

const names = new Map<string, string>()

/** The name of a statement: letters and digits, as on a node it is a part of a setting's name. */
export function statementName(text: string): string {
  return names.getOrInsertComputed(
    text,
    () => `s${createHash('sha256').update(text).digest('hex').slice(0, 24)}`,
  )
}
