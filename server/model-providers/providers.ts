import { randomUUID } from 'node:crypto'
import { refuseEnded } from '../accounts/authenticate.ts'
import { checkListBytes, whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { noteState, showState, untried } from '../db/connection-state.ts'
import { cannot, tooMany, type DomainError } from '../errors.ts'
import { ModelError } from '../models/contract.ts'
import { builtInProviderIds, findBuiltInProvider } from '../models/providers/built-ins.ts'
import { maxModelIdLength, ownModelId, type OwnModel } from '../models/routing.ts'
import { listModelIds, tryProvider, type Tried } from '../models/try-provider.ts'
import { labelOf } from '../account-models/account-models.ts'
import { maxModelsPerProvider, type ModelProvider, type SetModelProvider } from './schema.ts'
import * as store from '../account-models/store.ts'

/**
 * Model providers of an account. Its own key for a built-in provider takes precedence over the
 * server's; its own compatible servers are added. Built-in providers are listed first, then those
 * of the models file, then the account's own.
 */
export async function listModelProviders(ctx: Context): Promise<ModelProvider[]> {
  const stored = await store.listStored(ctx.reads, ctx.accountId)
  const byId = new Map(stored.map((row) => [row.id, row]))
  const { server } = ctx.accountModels
  const ids = [...builtInProviderIds, ...server.shared.map(({ id }) => id), ...byId.keys()]
  return [...new Set(ids)].map((id) => show(ctx, id, byId.get(id)))
}

/** Stores the given fields, keeps the others, and tests the provider. */
export async function setModelProvider(
  asked: Context,
  id: string,
  input: SetModelProvider,
): Promise<ModelProvider> {
  const ctx = { ...asked, action: `set model provider ${id.slice(0, 40)}` }
  await checkInput(ctx, id, input)
  const before = await store.modelProviders.find(ctx.database, ctx.accountId, { id })
  const models = await findModels(ctx, merge(ctx, id, input, before))
  const row = await whileLocked(ctx, async (transaction) => {
    await refuseEnded(transaction, ctx)
    const current = await store.modelProviders.find(
      transaction,
      ctx.accountId,
      { id },
      'for update',
    )
    const merged = { ...merge(ctx, id, input, current), models }
    const saved = await store.modelProviders.insert(
      transaction,
      ctx.accountId,
      merged,
      store.maxProvidersPerAccount,
      Object.keys(merged),
    )
    if (saved === undefined) {
      throw tooMany(
        ctx,
        'too_many_model_providers',
        store.maxProvidersPerAccount,
        'model providers',
      )
    }
    await checkListBytes(ctx, transaction, 'model providers', store.modelProviders)
    const change = { set_again: true, key_replaced: input.api_key !== undefined }
    await recordAudit(transaction, ctx, {
      objectId: id,
      ...(current && { before: { ...toAudited(current), set_again: false, key_replaced: false } }),
      after: { ...toAudited(merged), ...(current && change) },
    })
    await store.notifyChange(transaction, ctx.accountId)
    return merged
  })
  ctx.accountModels.forget(ctx.accountId)
  const state = await test(ctx, row)
  return show(ctx, id, { ...row, ...state.row })
}

/** Tests whether the provider accepts the stored settings. */
export async function testModelProvider(ctx: Context, id: string): Promise<Tried> {
  const row = await store.modelProviders.find(ctx.database, ctx.accountId, { id })
  if (row === undefined) throw notSet(ctx, id)
  const { tried } = await test(ctx, row)
  await recordAudit(ctx.database, ctx, { objectId: id, after: { ok: tried.ok } })
  return tried
}

/** Its models run on the server's key again, if there is one; else they become unavailable. */
export async function removeModelProvider(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    const before = await store.modelProviders.delete(transaction, ctx.accountId, { id })
    if (before === undefined) throw notSet(ctx, id)
    await recordAudit(transaction, ctx, { objectId: id, before: toAudited(before) })
    await store.notifyChange(transaction, ctx.accountId)
  })
  ctx.accountModels.forget(ctx.accountId)
}

function notSet(ctx: Pick<Context, 'action'>, id: string): DomainError {
  return cannot(ctx, 'not_found', `the account has set no model provider ${id}`)
}

async function checkInput(ctx: Context, id: string, input: SetModelProvider): Promise<void> {
  if (!/^(?!muster$)[a-z0-9][a-z0-9_-]{0,39}$/.test(id)) {
    const why = 'id is not 1 to 40 characters of a-z 0-9 _ -, a letter or digit first, or is muster'
    throw cannot(ctx, 'invalid_format', why, { param: 'id' })
  }
  if (ctx.accountModels.server.hasProvider(id)) {
    const why = `id is ${id}, a provider of this server's models file, choose another`
    throw cannot(ctx, 'invalid_value', why, { param: 'id' })
  }
  if (findBuiltInProvider(id) !== undefined && input.models !== undefined) {
    const why = `models cannot be set for ${id}, whose models Muster knows; add a server of your own under another id`
    throw cannot(ctx, 'invalid_value', why, { param: 'models' })
  }
  const { base_url: url } = input
  if (url != null) {
    const refusal = /\?/.test(url)
      ? 'has a query, expected an address without ?'
      : await ctx.outbound.check(url, { allowHttp: 'inside' })
    if (refusal !== undefined) {
      throw cannot(ctx, 'invalid_url', `base_url ${refusal}`, { param: 'base_url' })
    }
  }
  const ids = (input.models ?? []).map((model) => model.id)
  for (const [place, modelId] of ids.entries()) {
    const param = `models[${place}].id`
    const { length } = ownModelId(id, modelId)
    if (length <= maxModelIdLength) continue
    const why = `${param} makes an id of ${length} characters with ${id}/ before it, at most ${maxModelIdLength}`
    throw cannot(ctx, 'string_too_long', why, { param })
  }
}

/**
 * Fields that are left out keep their stored value; a key is never sent to another address than the
 * one that it was stored for.
 */
function merge(
  ctx: Context,
  id: string,
  input: SetModelProvider,
  before: store.ProviderRow | undefined,
): store.ProviderRow {
  const { api_key: key, base_url: url, label, models, timeout_seconds: timeout } = input
  const baseUrl = url === undefined ? (before?.base_url ?? null) : url
  const isBuiltIn = findBuiltInProvider(id) !== undefined
  if (!isBuiltIn && baseUrl === null) {
    const why = `base_url is required, as ${id} is no provider that Muster knows: ${builtInProviderIds.join(', ')}`
    throw cannot(ctx, 'required', why, { param: 'base_url' })
  }
  const isSameAddress = before !== undefined && before.base_url === baseUrl
  if (key === undefined && before?.api_key != null && !isSameAddress) {
    const why = 'api_key is required with another base_url; null for a server without a key'
    throw cannot(ctx, 'required', why, { param: 'api_key' })
  }
  if (isBuiltIn && (key === null || (key === undefined && before?.api_key == null))) {
    throw cannot(ctx, 'required', `api_key is required for ${id}`, { param: 'api_key' })
  }
  const sealed = key == null ? null : store.sealKey(ctx.secrets, ctx.accountId, id, key)
  return {
    id,
    label: label === undefined ? (before?.label ?? null) : label,
    api_key: key === undefined ? (before?.api_key ?? null) : sealed,
    version: randomUUID(),
    base_url: baseUrl,
    timeout_seconds: timeout === undefined ? (before?.timeout_seconds ?? null) : timeout,
    models: models === undefined ? (before?.models ?? []) : distinct(models),
    ...untried,
  }
}

function distinct(models: OwnModel[]): OwnModel[] {
  return [...new Map(models.map((model) => [model.id, model])).values()]
}

/** The models of a compatible server: given or stored ones, or else those that the server lists. */
async function findModels(ctx: Context, row: store.ProviderRow): Promise<OwnModel[]> {
  if (findBuiltInProvider(row.id) !== undefined || row.models.length > 0) return row.models
  const refuse = (why: string): DomainError =>
    cannot(ctx, 'required', `models is required: ${why}`, { param: 'models' })
  const listed = await listModelIds(ctx.accountModels.open(ctx.accountId, row)).catch(
    (error: unknown) => {
      if (!(error instanceof ModelError)) throw error
      throw refuse(`the server did not list its models (${error.reason})`)
    },
  )
  const usable = [...new Set(listed)].filter(
    (id) => /^[\x21-\x7e]+$/.test(id) && ownModelId(row.id, id).length <= maxModelIdLength,
  )
  if (usable.length === 0) throw refuse('the server lists none')
  if (usable.length > maxModelsPerProvider) {
    throw refuse(`the server lists ${usable.length}, at most ${maxModelsPerProvider} are taken`)
  }
  return usable.map((id) => ({ id }))
}

async function test(
  ctx: Context,
  row: store.ProviderRow,
): Promise<{ tried: Tried; row: Pick<store.ProviderRow, keyof typeof untried> }> {
  const provider = ctx.accountModels.open(ctx.accountId, row)
  const tried = await tryProvider(provider, row.models[0]?.id)
  const { database, accountId } = ctx
  return { tried, row: await noteState(database, 'model_providers', accountId, row, tried) }
}

function show(ctx: Context, id: string, row: store.ProviderRow | undefined): ModelProvider {
  const { server } = ctx.accountModels
  const isServers = server.shared.some((provider) => provider.id === id && provider.available)
  const available = row !== undefined || isServers
  return {
    id,
    label: row === undefined ? (server.labelOf(id) ?? id) : labelOf(row, server),
    kind: findBuiltInProvider(id) === undefined ? 'compatible' : 'builtin',
    available,
    source: row !== undefined ? 'account' : isServers ? 'server' : null,
    stored: row !== undefined,
    has_key: row !== undefined && row.api_key !== null,
    base_url: row?.base_url ?? null,
    timeout_seconds: row?.timeout_seconds ?? null,
    models: (row?.models.map((model) => ({ ...model })) as ModelProvider['models']) ?? [],
    ...showState(row),
  }
}

/** Fields for the audit log, without the key. */
function toAudited(row: store.ProviderRow): object {
  const { label, base_url, timeout_seconds, models, api_key: key } = row
  const ids = models.map(({ id }) => id)
  return { label, base_url, timeout_seconds, has_key: key !== null, models: ids }
}
