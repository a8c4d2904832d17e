import { checkListBytes, isLarger, whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { AuditWord } from '../audit/words.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import type { OwnedTable } from '../db/owned-table.ts'
import { notFound } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import { checkIfMatch } from './etag.ts'
import type { Version, VersionDiff, VersionFields } from './schema.ts'
import {
  addVersion,
  diffVersions,
  findVersion,
  listVersions,
  publishVersion,
  readVersionNumber,
  type Versioned,
} from './versions.ts'

/** A resource whose changes are versions: an agent or a workflow. */
interface Parts<Row extends Versioned, Definition extends Record<string, unknown>> {
  noun: 'agent' | 'workflow'
  plural: 'agents' | 'workflows'
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

/** The context in the transaction of a change. */
type Inside = Context & { database: Transaction }

interface Written<Row> {
  fields: Partial<Row>
  /** What only the audit log shows of a draft. */
  drafted?: { definition: Record<string, unknown>; action: AuditWord }
}

/** The verbs of agents and workflows that make, show and publish versions. */
export class VersionedResource<Row extends Versioned, Definition extends Record<string, unknown>> {
  readonly #parts: Parts<Row, Definition>

  readonly noun: 'agent' | 'workflow'
  readonly plural: 'agents' | 'workflows'

  constructor(parts: Parts<Row, Definition>) {
    this.#parts = parts
    this.noun = parts.noun
    this.plural = parts.plural
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
    const { definitionOf, readDefinition, check, toFields } = this.#parts
    const number = readVersionNumber(ctx, id, version)
    return this.#change(ctx, id, ifMatch, async (inside, stored, before) => {
      const live = definitionOf(before)
      const found = await publishVersion(inside.database, ctx, stored, live, number)
      if (found === undefined) return undefined
      const definition = readDefinition(found.definition)
      await check(inside, definition)
      const fields = await toFields(inside, definition, before)
      return { fields: { ...fields, version: number, last_version: found.last_version } }
    })
  }

  /** Applies changes to the locked row, as the API shows it; a draft leaves the live version as it is. */
  async update(
    ctx: Context,
    id: string,
    { ifMatch, draft = false, note }: VersionFields & { ifMatch: string | undefined },
    toFields: (inside: Context, before: Row) => Promise<Partial<Row>>,
  ): Promise<Row> {
    const { noun, definitionOf } = this.#parts
    return this.#change(ctx, id, ifMatch, async (inside, stored, before) => {
      const fields = await toFields(inside, before)
      const definition = definitionOf({ ...before, ...fields })
      const live: Partial<Row> = draft ? {} : fields
      const both = { before: definitionOf(before), after: definition }
      const versions = await addVersion(inside.database, ctx, stored, both, { draft, note })
      return {
        fields: { ...live, ...versions },
        ...(draft && { drafted: { definition, action: `${noun}.drafted` } }),
      }
    })
  }

  /** Changes the locked row unless there is nothing to write. */
  async #change(
    ctx: Context,
    id: string,
    ifMatch: string | undefined,
    toWritten: (inside: Inside, stored: Row, before: Row) => Promise<Written<Row> | undefined>,
  ): Promise<Row> {
    const { noun, plural, table, lock, show = async (_, row) => row } = this.#parts
    return whileLocked(ctx, async (transaction) => {
      const stored = await lock(transaction, ctx.accountId, id)
      if (stored === undefined) throw notFound(ctx, noun, id)
      checkIfMatch(ctx, ifMatch, stored)
      const inside = { ...ctx, database: transaction }
      const before = await show(inside, stored)
      const written = await toWritten(inside, stored, before)
      if (written === undefined) return before
      const { fields, drafted } = written
      const after = await show(inside, await table.update(transaction, ctx.accountId, id, fields))
      await recordAudit(transaction, ctx, {
        objectId: id,
        before,
        after: { ...after, ...drafted?.definition },
        ...(drafted && { action: drafted.action }),
      })
      if (isLarger(after, before)) await checkListBytes(ctx, transaction, plural, table)
      return after
    })
  }
}
