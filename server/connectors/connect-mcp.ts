import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { checkListBytes, whileLocked } from '../accounts/bounds.ts'
import type { Context } from '../context.ts'
import { noteState, untried } from '../db/connection-state.ts'
import { cannot } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { listOwnLogins, showMcp } from './list.ts'
import { McpError } from './mcp/client.ts'
import { isUsable, maxMcpTools, type PinnedTool, type ToolPick } from './mcp/pins.ts'
import { hasAuthorization, type LoginRefusal } from './mcp/refusals.ts'
import { discoverAuthority, type Demand } from './oauth/discover.ts'
import { deleteLogins } from './oauth/login-store.ts'
import { findBearer, loginPage } from './oauth/logins.ts'
import { createOAuthFetch } from './oauth/oauth-fetch.ts'
import { readMcpTools } from './read-mcp-tools.ts'
import { save } from './save.ts'
import type { ConnectMcp, Connector } from './schema.ts'
import { hideSecrets, openServer, sealSecret, serverSecrets, type StoredServer } from './secret.ts'
import * as store from './store.ts'

/**
 * Connectors of the kind `mcp`: the server's tools are read and pinned in their current form. A tool that has changed
 * since it was accepted is not called until the server is connected again. A server that demands a login by OAuth is
 * stored without tools; they are read after the first login.
 */
/** Reads the server's tools and pins them in their current form. */
export async function connectMcp(ctx: Context, id: string, input: ConnectMcp): Promise<Connector> {
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
  const keptVersion = input.headers === undefined ? stored?.row.version : undefined
  await whileLocked(ctx, async (transaction) => {
    await save(ctx, transaction, row, keptVersion)
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
