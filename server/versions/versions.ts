import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { toPage, type Page } from '../db/keyset.ts'
import { cannot, notFound } from '../errors.ts'
import { toActor } from '../engine/reads/rows.ts'
import { changedFields, diffDefinitions, isObject, type Definition } from './diff-definitions.ts'
import type { Version, VersionDiff, VersionFields } from './schema.ts'
import * as store from './store.ts'

/**
 * Versions of workflows and agents: every change of a definition is stored under the next number. The resource's own
 * row holds the definition that is live, its number and the newest number. Workflows and agents call these verbs with
 * their row locked; an older process changes rows without them, and the next change here records what it left.
 */
export interface Versioned {
  id: string
  version: number
  last_version: number
  updated_at: Date
}

/** Most versions of one resource, and most bytes of their definitions. The oldest are deleted. */
const maxVersions = 10_000
const maxTotalBytes = 32 * 1024 * 1024
/** Most versions that one change deletes; the next one deletes more. */
const maxDeleted = 50

/** Records the definition that a resource is created with. */
export async function addFirstVersion(
  transaction: Transaction,
  ctx: Context,
  objectId: string,
  definition: Definition,
): Promise<void> {
  await insert(transaction, ctx, { objectId, definition, version: 1, base: null, isLive: true })
}

/** Records a version unless nothing changed; returns the version numbers for the resource's row. */
export async function addVersion(
  transaction: Transaction,
  ctx: Context,
  row: Versioned,
  { before, after }: { before: Definition; after: Definition },
  { draft = false, note = null }: VersionFields,
): Promise<{ version: number; last_version: number }> {
  const known = await recordLive(transaction, ctx, row, before)
  if (isSame(before, after)) return known
  const { accountId } = ctx
  // A draft equal to the newest one adds no version.
  if (known.last_version !== known.version) {
    const last = await store.findRow(transaction, accountId, row.id, known.last_version)
    if (last !== undefined && isSame(last.definition, after)) {
      if (draft) return known
      await store.markPublished(transaction, accountId, row.id, last.version)
      return { version: last.version, last_version: last.version }
    }
  }
  const version = known.last_version + 1
  const changed = changedFields(before, after)
  const base = { version: known.version, changed }
  await insert(transaction, ctx, {
    objectId: row.id,
    definition: after,
    version,
    base,
    note,
    isLive: !draft,
  })
  await deleteOldest(transaction, ctx, row.id, [known.version, version])
  return { version: draft ? known.version : version, last_version: version }
}

/**
 * Records the live definition if its number has no row or another definition: then a process of an older version of
 * Muster has changed it. Its author is unknown.
 */
export async function recordLive(
  transaction: Transaction,
  ctx: Context,
  row: Versioned,
  definition: Definition,
): Promise<{ version: number; last_version: number }> {
  const { version, last_version } = row
  const stored = await store.findRow(transaction, ctx.accountId, row.id, version)
  if (stored !== undefined && hasFieldsOf(stored.definition, definition))
    return { version, last_version }
  const number = stored === undefined ? version : last_version + 1
  const base =
    stored === undefined ? null : { version, changed: changedFields(stored.definition, definition) }
  await insert(transaction, ctx, {
    objectId: row.id,
    definition,
    version: number,
    base,
    isLive: true,
    unknownSince: row.updated_at,
  })
  return { version: number, last_version: Math.max(number, last_version) }
}

/** The definition to publish; undefined where the version is live already. */
export async function publishVersion(
  transaction: Transaction,
  ctx: Context,
  row: Versioned,
  live: Definition,
  number: number,
): Promise<{ definition: Definition; last_version: number } | undefined> {
  const known = await recordLive(transaction, ctx, row, live)
  if (known.version === number) return undefined
  const found = await store.findRow(transaction, ctx.accountId, row.id, number)
  if (found === undefined) throw noVersion(ctx, row.id, number)
  await store.markPublished(transaction, ctx.accountId, row.id, number)
  return { definition: found.definition, last_version: known.last_version }
}

export function deleteVersions(
  transaction: Transaction,
  { accountId }: Context,
  objectId: string,
): Promise<void> {
  return store.deleteRows(transaction, accountId, objectId)
}

/** Newest first. */
export async function listVersions(
  ctx: Context,
  row: Versioned,
  { limit = 50, after }: { limit: number | undefined; after: { at: Date } | undefined },
): Promise<Page<Version>> {
  // The cursor of lists is a time and an id: the number stands in for the time.
  const before = after?.at.getTime()
  const rows = await store.listRows(ctx.reads, ctx.accountId, row.id, { limit: limit + 1, before })
  const shown = rows.length > 0 || before !== undefined ? rows : [unrecorded(row)]
  const keyed = shown.map((one) => ({ id: row.id, one }))
  const { items, next } = toPage(keyed, limit, ({ one }) => new Date(one.version))
  return { items: items.map(({ one }) => toVersion(one, row)), next }
}

/** A version with its definition. `live` is the definition of the resource's row, which may not be recorded yet. */
export async function findVersion(
  ctx: Context,
  row: Versioned,
  live: Definition,
  number: number,
): Promise<Version & { definition: Definition }> {
  const found = await store.findRow(ctx.reads, ctx.accountId, row.id, number)
  if (found !== undefined) return { ...toVersion(found, row), definition: found.definition }
  if (number !== row.version) throw noVersion(ctx, row.id, number)
  return { ...toVersion(unrecorded(row), row), definition: live }
}

/** A recorded definition. */
export async function findStored(
  { database, accountId }: Context,
  objectId: string,
  version: number,
): Promise<Definition | undefined> {
  return (await store.findRow(database, accountId, objectId, version))?.definition
}

export async function diffVersions(
  ctx: Context,
  row: Versioned,
  live: Definition,
  [from, to]: [number, number],
  read: (stored: Definition) => Definition = (stored) => stored,
): Promise<VersionDiff> {
  const before = await findVersion(ctx, row, live, from)
  const after = await findVersion(ctx, row, live, to)
  const [old, now] = [read(before.definition), read(after.definition)]
  return { from, to, changes: await diffDefinitions(ctx, old, now) }
}

/** Refuses a status in a draft: it is not part of a definition. */
export function refuseStatusOfDraft(
  ctx: Context,
  { draft, status }: { draft?: boolean | undefined; status?: string | undefined },
): void {
  if (draft !== true || status === undefined) return
  const why = 'status is not part of a version, send it in an update of its own'
  throw cannot(ctx, 'invalid_value', why, { param: 'status' })
}

/** Parses a version number of a path. */
export function readVersionNumber(ctx: Context, objectId: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw cannot(ctx, 'not_found', `no version ${text} of ${objectId}`)
}

function noVersion(ctx: Context, objectId: string, number: number): Error {
  return notFound(ctx, 'version', `${number} of ${objectId}`)
}

async function insert(
  transaction: Transaction,
  { accountId, actor }: Context,
  {
    objectId,
    definition,
    version,
    base,
    note = null,
    isLive,
    unknownSince,
  }: {
    objectId: string
    definition: Definition
    version: number
    base: { version: number; changed: string[] } | null
    note?: string | null
    isLive: boolean
    unknownSince?: Date
  },
): Promise<void> {
  const text = JSON.stringify(definition)
  const last = version === 1 ? undefined : await findLast(transaction, accountId, objectId)
  await store.insertRow(transaction, {
    accountId,
    objectId,
    version,
    definition: text,
    base_version: base?.version ?? null,
    changed: base?.changed ?? [],
    note: note === '' ? null : note,
    author_id: unknownSince === undefined ? actor.id : null,
    author_name: unknownSince === undefined ? actor.name : null,
    totalBytes: (last?.total_bytes ?? 0) + Buffer.byteLength(text),
    isLive,
    createdAt: unknownSince ?? null,
  })
}

async function findLast(
  transaction: Transaction,
  accountId: string,
  objectId: string,
): Promise<{ total_bytes: number } | undefined> {
  const [last] = await store.listRows(transaction, accountId, objectId, {
    limit: 1,
    before: undefined,
  })
  return last && store.findRow(transaction, accountId, objectId, last.version)
}

async function deleteOldest(
  transaction: Transaction,
  { accountId }: Context,
  objectId: string,
  [live, newest]: [number, number],
): Promise<void> {
  const last = await store.findRow(transaction, accountId, objectId, newest)
  const bytes = last?.total_bytes ?? 0
  const oldest = await store.listOldest(transaction, accountId, objectId, maxDeleted)
  const surplus = oldest.filter(
    ({ version, total_bytes: upTo }) =>
      version !== live &&
      version !== newest &&
      (version <= newest - maxVersions || bytes - upTo > maxTotalBytes),
  )
  if (surplus.length === 0) return
  const numbers = surplus.map(({ version }) => version)
  await store.deleteRows(transaction, accountId, objectId, numbers)
}

/** The live version of a resource that was last changed before versions existed. */
function unrecorded(row: Versioned): store.VersionRow {
  return {
    version: row.version,
    base_version: null,
    changed: [],
    note: null,
    author_id: null,
    author_name: null,
    created_at: row.updated_at,
    published_at: row.updated_at,
  }
}

function toVersion(row: store.VersionRow, { version: live }: Versioned): Version {
  const { author_id, author_name, ...rest } = row
  const state = row.version === live ? 'live' : row.published_at === null ? 'draft' : 'earlier'
  return { ...rest, state, author: toActor(author_id, author_name) }
}

/** Whether two definitions are equal, where settings that the stored one lacks have their defaults. */
function hasFieldsOf(stored: unknown, now: unknown): boolean {
  if (!isObject(stored) || !isObject(now)) return isDeepStrictEqual(stored, now)
  return Object.keys(stored).every((name) => hasFieldsOf(stored[name], now[name]))
}

/** As JSON, without undefined fields. */
function isSame(a: Definition, b: Definition): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))
}
