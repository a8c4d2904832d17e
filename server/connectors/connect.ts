import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { refuseEnded } from '../accounts/authenticate.ts'
import { checkListBytes, whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { noteState, untried } from '../db/connection-state.ts'
import { cannot, tooMany, DomainError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { connectable, findBuiltInConnector } from './built-ins.ts'
import { callerConnector } from '../tools/caller-tools.ts'
import type { BuiltInConnector } from '../tools/connector.ts'
import { connectHttp, type Save } from './http/connect.ts'
import { maxHttpConnectors } from './http/http-store.ts'
import { isHttpRow } from './http/row.ts'
import { ConnectHttp, ConnectOpenApi, HttpAction } from './http/schema.ts'
import { connectOpenApi } from './openapi/connect.ts'
import { McpError } from './mcp/client.ts'
import { isUsable, maxMcpTools, type PinnedTool, type ToolPick } from './mcp/pins.ts'
import { hasAuthorization, type LoginRefusal } from './mcp/refusals.ts'
import { discoverAuthority, type Demand } from './oauth/discover.ts'
import { deleteLogins } from './oauth/login-store.ts'
import { findBearer, loginPage } from './oauth/logins.ts'
import { createOAuthFetch } from './oauth/oauth-fetch.ts'
import { hideSecrets, serverSecrets, openServer, sealSecret, type StoredServer } from './secret.ts'
import { listOwnLogins, showBuiltIn, showMcp, withPolicies } from './list.ts'
import { keepSecrets } from './kept-settings.ts'
import { readMcpTools } from './read-mcp-tools.ts'
import { ConnectMcp, type Connector } from './schema.ts'
import { notConnected, testBuiltIn } from './try-connector.ts'
import * as store from './store.ts'
import { Ajv, type ErrorObject } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { toValidationError } from '../http/validation.ts'

/**
 * Connectors give agents actions on other systems. Built-ins are defined one to a file (`slack.ts`,
 * `email.ts`); an account connects them with its credentials, MCP servers with their address and
 * headers, and HTTP APIs (`http/`, `openapi/`) with their base address and login. This file connects
 * and disconnects; `open-tools.ts` opens the tools for a run, and decrypts credentials only for a
 * call. A tool of an MCP server that has changed since it was
 * accepted is not called until the server is connected again.
 */

/** Connects a built-in with its credentials, an MCP server or an HTTP API, depending on the id. */
export async function connectConnector(
  asked: Context,
  id: string,
  body: unknown,
): Promise<Connector> {
  const ctx = { ...asked, action: `connect ${id.slice(0, 40)}` }
  const stored = await store.connectors.find(ctx.database, ctx.accountId, { id })
  const builtIn = store.isOwn(stored) ? undefined : findBuiltInConnector(id)
  if (builtIn === undefined && !/^[a-z][a-z0-9-]{0,39}$/.test(id)) {
    const why = 'id is not a letter a-z and up to 39 more of a-z 0-9 -'
    throw cannot(ctx, 'invalid_format', why, { param: 'id' })
  }
  if (id === callerConnector && stored === undefined) {
    const why = `id is ${id}, which is for tools that the account's own processes execute`
    throw cannot(ctx, 'invalid_value', why, { param: 'id' })
  }
  const connected =
    builtIn === undefined
      ? await connectOwn(ctx, id, body)
      : await connectBuiltIn(ctx, builtIn, body, stored)
  const [shown = connected] = await withPolicies(ctx, [connected])
  return shown
}

/** Connects an MCP server or an HTTP API, by the body's kind. */
async function connectOwn(ctx: Context, id: string, body: unknown): Promise<Connector> {
  const keep: Save = async (transaction, row, keptVersion) => {
    if (keptVersion !== undefined) await checkUnchanged(ctx, transaction, id, keptVersion)
    await save(ctx, transaction, row)
  }
  switch (kindOf(body)) {
    case 'http':
      return connectHttp(ctx, id, parseBody(ConnectHttp, body, ctx.action), keep)
    case 'openapi':
      return connectOpenApi(ctx, id, parseBody(ConnectOpenApi, body, ctx.action), keep)
    case 'mcp':
    case undefined:
      return connectMcp(ctx, id, parseBody(ConnectMcp, body, ctx.action))
    default: {
      const why = `kind is not one of ${ownKinds.join(', ')}`
      throw cannot(ctx, 'invalid_value', why, { param: 'kind' })
    }
  }
}

const ownKinds: unknown[] = ['mcp', 'http', 'openapi']

function kindOf(body: unknown): unknown {
  return (body as { kind?: unknown } | null | undefined)?.kind
}

/**
 * Removes the credentials or the MCP server; agents keep their capabilities, which then have no
 * effect.
 */
export async function disconnectConnector(ctx: Context, id: string): Promise<void> {
  await ctx.database.transaction().execute(async (transaction) => {
    const before = await store.connectors.delete(transaction, ctx.accountId, { id })
    if (before === undefined) throw notConnected(ctx, id)
    await deleteLogins(transaction, ctx.accountId, id)
    await recordAudit(transaction, ctx, { objectId: id, before: toAudited(before) })
  })
}

async function connectBuiltIn(
  ctx: Context,
  builtIn: BuiltInConnector,
  body: unknown,
  stored: store.StoredConnector | undefined,
): Promise<Connector> {
  const { id, credentials: schema } = builtIn
  if (ownKinds.includes(kindOf(body))) {
    const what = kindOf(body) === 'mcp' ? 'an MCP server' : 'an HTTP API'
    const why = `id is ${id}, a connector that comes with Muster, choose another for ${what}`
    throw cannot(ctx, 'invalid_value', why, { param: 'id' })
  }
  if (!connectable.includes(builtIn)) {
    const why = `${builtIn.label} needs no connecting, grant agents its capabilities`
    throw cannot(ctx, 'invalid_value', why, { param: 'id' })
  }
  const kept = keepSecrets(ctx, builtIn, body, stored)
  const secret = sealSecret(ctx, id, parseBody(schema, kept.body, ctx.action))
  const row = { kind: 'builtin' as const, id, secret, version: randomUUID(), ...untried }
  await whileLocked(ctx, async (transaction) => {
    if (kept.isKept && stored !== undefined) {
      await checkUnchanged(ctx, transaction, id, stored.version)
    }
    await save(ctx, transaction, row)
  })
  // The response says whether the connection works.
  const tested = await testBuiltIn(ctx, builtIn, row)
  const state = await noteState(ctx.database, 'connectors', ctx.accountId, row, tested)
  return showBuiltIn(ctx, ctx.accountId, builtIn, { ...row, ...state })
}

/** Reads the server's tools and pins them in their current form. */
async function connectMcp(ctx: Context, id: string, input: ConnectMcp): Promise<Connector> {
  const { url, safe_tools: safeTools = [], tools: pick } = input
  if (pick?.only !== undefined && pick.except !== undefined) {
    const why = 'tools has both only and except, give one of them'
    throw cannot(ctx, 'invalid_value', why, { param: 'tools' })
  }
  const refusal = await ctx.outbound.check(url, { allowHttp: 'inside' })
  if (refusal !== undefined) throw cannot(ctx, 'invalid_url', `url ${refusal}`, { param: 'url' })
  const stored = await findServer(ctx, id, url).catch((error: unknown) => {
    // A secret that cannot be decrypted is replaced, unless its headers are needed.
    if (input.headers === undefined) throw error
    return undefined
  })
  const headers = input.headers ?? stored?.server.headers ?? {}
  const client = input.client ?? stored?.server.client
  const server: StoredServer = { url, headers, ...(client && { client }) }
  checkHeaders(ctx, headers)
  const login = await findLoginAgain(ctx, server, input, stored)
  const { tools, oauth } = await readTools(ctx, server, pick, login)
  const isPersons = login.credentials === 'person'
  if (tools === undefined && isPersons && login.hasTools) {
    const why = `its tools are read with your own login, log in at ${loginPage(ctx.publicUrl, id)} first`
    throw cannot(ctx, 'connector_refused', why)
  }
  if (tools !== undefined) checkTools(ctx, pick, tools)
  const usable = tools?.filter(isUsable).map(({ name }) => name) ?? []
  if (tools !== undefined) checkNames(ctx, 'safe_tools', safeTools, usable)
  const isSame =
    login.isKept &&
    isDeepStrictEqual(headers, stored?.server.headers) &&
    isDeepStrictEqual(client, stored?.server.client)
  const row: store.McpRow = {
    kind: 'mcp',
    id,
    secret: sealSecret(ctx, id, server),
    // If the tools are accepted again unchanged, open approvals stay valid.
    version: isSame && stored !== undefined ? stored.row.version : randomUUID(),
    url: new URL(url).origin,
    header_names: Object.keys(server.headers),
    safe_tools: [...new Set(safeTools)],
    picked: pick ?? null,
    // They are read after the first login.
    tools: tools ?? [],
    changed_tools: [],
    credentials: oauth === null ? (input.credentials ?? null) : login.credentials,
    oauth,
    needs_login:
      tools === undefined || (oauth !== null && !isPersons && login.bearer === undefined),
    registration: login.isKept ? (stored?.row.registration ?? null) : null,
    ...untried,
  }
  const message = `The server has ${usable.length} tools`
  await whileLocked(ctx, async (transaction) => {
    if (input.headers === undefined && stored !== undefined) {
      await checkUnchanged(ctx, transaction, id, stored.row.version)
    }
    await save(ctx, transaction, row)
    if (!login.isKept) await deleteLogins(transaction, ctx.accountId, id)
    await checkListBytes(ctx, transaction, 'MCP tools', { countBytes: store.countToolBytes })
    if (tools === undefined) return
    const state = await noteState(transaction, 'connectors', ctx.accountId, row, {
      ok: true,
      message,
    })
    Object.assign(row, state)
  })
  const own = await listOwnLogins({ ...ctx, reads: ctx.database })
  return showMcp(ctx, row, own?.has(id))
}

/** The stored secrets may have been replaced or removed while the server was being read. */
async function checkUnchanged(
  ctx: Context,
  transaction: Transaction,
  id: string,
  version: string,
): Promise<void> {
  // The lock keeps them until they are saved.
  const now = await store.connectors.find(transaction, ctx.accountId, { id }, 'for update')
  if (now?.version === version) return
  const why = 'it was reconnected or disconnected in the meantime, check it and try again'
  throw cannot(ctx, 'connector_changed', why)
}

/**
 * Saves a connection. Connecting again is audited as a change, without any details of the
 * credentials. The account must be locked.
 */
async function save(
  ctx: Context,
  transaction: Transaction,
  connector: store.StoredConnector,
): Promise<void> {
  const { id } = connector
  await refuseEnded(transaction, ctx)
  const before = await store.connectors.find(transaction, ctx.accountId, { id })
  if (!(await store.saveConnector(transaction, ctx.accountId, connector))) {
    throw isHttpRow(connector)
      ? tooMany(ctx, 'too_many_connectors', maxHttpConnectors, 'HTTP APIs')
      : tooMany(ctx, 'too_many_connectors', store.maxMcpServersPerAccount, 'MCP servers')
  }
  const was = { connected_again: false, credentials_replaced: false }
  const is = { connected_again: true, credentials_replaced: connector.version !== before?.version }
  await recordAudit(transaction, ctx, {
    objectId: id,
    ...(before && { before: { ...toAudited(before), ...was } }),
    after: { ...toAudited(connector), ...(before && is) },
  })
}

/** The audited fields of a connector: no credentials, and only the origin of an address. */
function toAudited(connector: store.StoredConnector): object {
  if (connector.kind === 'builtin') return { kind: 'builtin' }
  const { kind, url, header_names, tools } = connector
  const offered = tools.filter(isUsable).map(({ name }) => name)
  const audited = { kind, url, header_names, tools: offered }
  if (isHttpRow(connector)) {
    // Operations that read are safe, offered or not.
    const safe_tools = connector.safe_tools.filter((name) => offered.includes(name))
    return { ...audited, safe_tools, auth: connector.settings.auth['type'] }
  }
  const { safe_tools, credentials } = connector
  return { ...audited, safe_tools, ...(credentials && { credentials }) }
}

/** The stored server, if it has the same address: another address must not get its headers. */
async function findServer(
  ctx: Context,
  id: string,
  url: string,
): Promise<{ server: StoredServer; row: store.McpRow } | undefined> {
  const row = await store.connectors.find(ctx.database, ctx.accountId, { id })
  if (row?.kind !== 'mcp') return undefined
  const server = openServer(ctx.secrets, ctx.accountId, row)
  return server.url === url ? { server, row } : undefined
}

/** A login that an MCP server is connected with. */
interface LoginAgain {
  credentials: 'account' | 'person'
  /** Logins were made at the same server, for the same people and with the same client: they stay. */
  isKept: boolean
  hasTools: boolean
  bearer: string | undefined
  demand: Demand | null
}

async function findLoginAgain(
  ctx: Context,
  { headers, client }: StoredServer,
  input: ConnectMcp,
  stored: { server: StoredServer; row: store.McpRow } | undefined,
): Promise<LoginAgain> {
  const credentials = input.credentials ?? stored?.row.credentials ?? 'account'
  const none = { credentials, isKept: false, hasTools: false, bearer: undefined, demand: null }
  if (stored === undefined) return none
  // Headers that are a login take the place of one by OAuth.
  if (hasAuthorization(headers)) return { ...none, isKept: stored.row.oauth === null }
  const { server, row } = stored
  const isKept =
    (row.credentials ?? 'account') === credentials && isDeepStrictEqual(server.client, client)
  if (!isKept) return { ...none, demand: row.oauth }
  const userId = ctx.actor.type === 'user' ? ctx.actor.id : null
  const found = await findBearer(ctx, ctx.accountId, row, userId)
  const bearer = 'why' in found ? undefined : found.bearer
  return { credentials, isKept, hasTools: row.tools.length > 0, bearer, demand: row.oauth }
}

/** The server's tools; undefined if it demands a login first, with what it said. */
async function readTools(
  ctx: Context,
  server: StoredServer,
  pick: ToolPick | undefined,
  { bearer, demand }: LoginAgain,
): Promise<{ tools: PinnedTool[] | undefined; oauth: Demand | null }> {
  try {
    const asked = { ...server, bearer, accountId: ctx.accountId }
    const tools = await readMcpTools(ctx, asked, pick)
    return { tools, oauth: demand }
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    const oauth = await toDemand(ctx, server, error.refusal)
    if (oauth !== undefined) return { tools: undefined, oauth }
    const why = hideSecrets(error.message, serverSecrets({ ...server, bearer }))
    throw cannot(ctx, 'connector_refused', why, { param: 'url' })
  }
}

/** What a server demands that is connected before anyone has logged in; undefined if it demands no login by OAuth. */
async function toDemand(
  ctx: Context,
  { url, headers, client }: StoredServer,
  refusal: LoginRefusal | undefined,
): Promise<Demand | undefined> {
  if (refusal === undefined || hasAuthorization(headers)) return undefined
  const { scope, resourceMetadataUrl } = refusal
  const demand = { scope, resource_metadata_url: resourceMetadataUrl }
  if (refusal.wantsOAuth || client !== undefined) return demand
  // A server may demand a login without saying how.
  const fetch = createOAuthFetch(ctx.outbound, ctx.accountId)
  const authority = await discoverAuthority(fetch, url, demand).catch(() => undefined)
  return authority?.metadata === undefined ? undefined : demand
}

// Headers that the transport and the protocol set themselves.
const reserved =
  /^(host|connection|upgrade|transfer-encoding|te|accept|accept-encoding|content-.*|mcp-.*|last-event-id)$/i

function checkHeaders(ctx: Context, headers: Record<string, string>): void {
  const name = Object.keys(headers).find((candidate) => reserved.test(candidate))
  if (name === undefined) return
  const why = `headers.${name} is set by Muster itself, leave it out`
  throw cannot(ctx, 'invalid_value', why, { param: `headers.${name}` })
}

function checkTools(ctx: Context, pick: ToolPick | undefined, tools: PinnedTool[]): void {
  const names = tools.map(({ name }) => name)
  checkNames(ctx, 'tools.only', pick?.only ?? [], names)
  const usable = tools.filter(isUsable).length
  if (usable <= maxMcpTools) return
  const why = `the server has ${usable} tools, at most ${maxMcpTools} are accepted, pick some by tools.only or tools.except`
  throw cannot(ctx, 'connector_refused', why, { param: 'tools' })
}

function checkNames(ctx: Context, field: string, listed: string[], names: string[]): void {
  for (const [index, name] of listed.entries()) {
    if (names.includes(name)) continue
    const param = `${field}[${index}]`
    const near = nearest(name, names).join(', ')
    const why = `${param} is not a tool of the server, nearest are ${near}`
    throw cannot(ctx, 'invalid_value', why, { param })
  }
}

const ajv = new Ajv({ strict: false, validateFormats: false, verbose: true }).addSchema(HttpAction)

/** Checks a body with secrets: error messages name fields and limits, never values. */
function parseBody<S extends TSchema>(schema: S, body: unknown, action: string): Static<S> {
  if (body === undefined || body === null) {
    throw new DomainError('required', `Cannot ${action}: the body is required`)
  }
  if (ajv.validate(schema, body)) return body as Static<S>
  const errors = (ajv.errors ?? []).map(withoutValue)
  throw toValidationError(errors as Parameters<typeof toValidationError>[0], action)
}

// Some messages quote the value, which is hidden; lengths may be shown.
function withoutValue(error: ErrorObject): ErrorObject {
  const { keyword, data } = error
  const isShown = ['pattern', 'format', 'enum', 'const'].includes(keyword)
  return isShown && typeof data === 'string' ? { ...error, data: '[hidden]' } : error
}
