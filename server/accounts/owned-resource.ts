import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import type { OwnedTable, Where } from '../db/owned-table.ts'
import { notFound, tooMany, type ErrorCode } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { whileLocked } from './bounds.ts'

interface Options<Row> {
  /** Name of the resource in messages. */
  noun: string
  plural: string
  /** Limit of rows for an account, and the error code at the limit. */
  max: number
  tooMany: ErrorCode
  /** The fields in the audit log; all by default. */
  toAudited?: (row: Row) => object
}

type Change<Row> = Partial<Row> & Record<string, unknown>

/**
 * A resource whose rows belong to accounts, with their shared rules: an account has at most `max`
 * rows, counted under its lock; each change is audited in its transaction; other accounts' ids are
 * not found.
 */
export class OwnedResource<Row extends { id: string }> {
  readonly #table: OwnedTable<Row>
  readonly #options: Required<Options<Row>>

  constructor(table: OwnedTable<Row>, options: Options<Row>) {
    this.#table = table
    this.#options = { toAudited: (row) => row, ...options }
  }

  /** Newest first; all if no limit is given. */
  list(
    ctx: Context,
    { limit = this.#options.max, after }: PageRequest,
    where?: Where<Row>,
  ): Promise<Page<Row>> {
    return this.#table.list(ctx.reads, ctx.accountId, { limit, after }, where)
  }

  async find(ctx: Context, id: string): Promise<Row> {
    return this.#found(ctx, id, await this.#table.find(ctx.database, ctx.accountId, { id }))
  }

  /** Reads a row and locks it until the transaction ends. */
  async lock(transaction: Transaction, ctx: Context, id: string): Promise<Row> {
    const lock = 'for no key update'
    return this.#found(ctx, id, await this.#table.find(transaction, ctx.accountId, { id }, lock))
  }

  /**
   * `renewed`: columns that a repeat after a crash writes again, such as a secret in its response.
   */
  create(
    ctx: Context,
    row: Change<Row> & { id: string },
    { renewed, also }: { renewed?: string[]; also?: After<Row> } = {},
  ): Promise<Row> {
    const { plural, max, tooMany: code, toAudited } = this.#options
    return whileLocked(ctx, async (transaction) => {
      const made = await this.#table.insert(transaction, ctx.accountId, row, max, renewed)
      if (made === undefined) throw tooMany(ctx, code, max, plural)
      await also?.(transaction, made)
      await recordAudit(transaction, ctx, { objectId: row.id, after: toAudited(made) })
      return made
    })
  }

  /** Applies the changes that `toChange` returns to the locked row. */
  update(
    ctx: Context,
    id: string,
    toChange: (before: Row, transaction: Transaction) => Change<Row> | Promise<Change<Row>>,
  ): Promise<Row> {
    const { toAudited } = this.#options
    return ctx.database.transaction().execute(async (transaction) => {
      const before = await this.lock(transaction, ctx, id)
      const change = await toChange(before, transaction)
      const after = await this.#table.update(transaction, ctx.accountId, id, change)
      const audited = { before: toAudited(before), after: toAudited(after) }
      await recordAudit(transaction, ctx, { objectId: id, ...audited })
      return after
    })
  }

  delete(ctx: Context, id: string, also?: After<Row>): Promise<void> {
    return ctx.database.transaction().execute(async (transaction) => {
      const deleted = await this.#table.delete(transaction, ctx.accountId, { id })
      const before = this.#found(ctx, id, deleted)
      await also?.(transaction, before)
      const audited = { objectId: id, before: this.#options.toAudited(before) }
      await recordAudit(transaction, ctx, audited)
    })
  }

  #found(ctx: Context, id: string, row: Row | undefined): Row {
    if (row === undefined) throw notFound(ctx, this.#options.noun, id)
    return row
  }
}

/** Additional work in the transaction. */
type After<Row> = (transaction: Transaction, row: Row) => Promise<unknown>
