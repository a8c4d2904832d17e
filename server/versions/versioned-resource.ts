import { checkListBytes, whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import type { OwnedTable } from '../db/owned-table.ts'
import { notFound } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { checkIfMatch } from './etag.ts'
import type { Version, VersionDiff } from './schema.ts'
import {
  diffVersions,
  findVersion,
  listVersions,
  publishVersion,
  readVersionNumber,
  type Versioned,
} from './versions.ts'

/** A resource whose changes are versions: an agent or a workflow. */
interface Parts<Row extends Versioned, Definition extends Record<string, unknown>> {
  noun: string
  plural: string
  table: OwnedTable<Row>
  lock: (transaction: Transaction, accountId: string, id: string) => Promise<Row | undefined>
  definitionOf: (row: Row) => Record<string, unknown>
  readDefinition: (stored: Record<string, unknown>) => Definition
  /** Throws if the definition refers to something that does not exist. */
  check: (ctx: Context, definition: Definition) => Promise<void>
  /** The columns of a definition that becomes live. */
  toFields: (
    ctx: Context,
    definition: Definition,
    before: Row,
  ) => Promise<Partial<Row>> | Partial<Row>
  /** The row as the API shows it. */
  show?: (ctx: Context, row: Row) => Promise<Row>
}

/** The operations on the versions of a resource. */
export class VersionedResource<Row extends Versioned, Definition extends Record<string, unknown>> {
  readonly #parts: Parts<Row, Definition>

  constructor(parts: Parts<Row, Definition>) {
    this.#parts = parts
  }

  async find(ctx: Context, id: string): Promise<Row> {
    const { table, noun } = this.#parts
    const row = await table.find(ctx.database, ctx.accountId, { id })
    if (row === undefined) throw notFound(ctx, noun, id)
    return row
  }

  async list(ctx: Context, id: string, page: PageRequest): Promise<Page<Version>> {
    const { limit, after } = page
    return listVersions(ctx, await this.find(ctx, id), { limit, after })
  }

  async retrieve(
    ctx: Context,
    id: string,
    version: string,
  ): Promise<Version & { definition: Definition }> {
    const { definitionOf, readDefinition } = this.#parts
    const row = await this.find(ctx, id)
    const number = readVersionNumber(ctx, id, version)
    const found = await findVersion(ctx, row, definitionOf(row), number)
    return { ...found, definition: readDefinition(found.definition) }
  }

  /** Without `to`, compares the version with the live one. */
  async diff(
    ctx: Context,
    id: string,
    version: string,
    to: number | undefined,
  ): Promise<VersionDiff> {
    const { definitionOf, readDefinition } = this.#parts
    const row = await this.find(ctx, id)
    const range: [number, number] = [readVersionNumber(ctx, id, version), to ?? row.version]
    return diffVersions(ctx, row, definitionOf(row), range, readDefinition)
  }

  /** Makes a version live: a draft or an earlier version. Everything that it refers to must exist. */
  async publish(
    ctx: Context,
    id: string,
    version: string,
    ifMatch: string | undefined,
  ): Promise<Row> {
    const { noun, plural, table, lock, show = async (_, row) => row, ...parts } = this.#parts
    const number = readVersionNumber(ctx, id, version)
    return whileLocked(ctx, async (transaction) => {
      const stored = await lock(transaction, ctx.accountId, id)
      if (stored === undefined) throw notFound(ctx, noun, id)
      checkIfMatch(ctx, ifMatch, stored)
      const inside = { ...ctx, database: transaction }
      const before = await show(inside, stored)
      const live = parts.definitionOf(before)
      const found = await publishVersion(transaction, ctx, stored, live, number)
      if (found === undefined) return before
      const definition = parts.readDefinition(found.definition)
      await parts.check(inside, definition)
      const fields = await parts.toFields(inside, definition, before)
      const versions = { version: number, last_version: found.last_version }
      const changed = await table.update(transaction, ctx.accountId, id, { ...fields, ...versions })
      const after = await show(inside, changed)
      await recordAudit(transaction, ctx, { objectId: id, before, after })
      await checkListBytes(ctx, transaction, plural, table)
      return after
    })
  }
}
