import { randomUUID } from 'node:crypto'
import { Ajv, type ErrorObject } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { whileLocked } from '../accounts/bounds.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { noteState, untried } from '../db/connection-state.ts'
import { cannot, DomainError } from '../errors.ts'
import { toValidationError } from '../http/validation.ts'
import { callerConnector } from '../tools/caller-tools.ts'
import type { BuiltInConnector } from '../tools/connector.ts'
import { connectable, findBuiltInConnector } from './built-ins.ts'
import { connectMcp } from './connect-mcp.ts'
import { connectHttp } from './http/connect.ts'
import { ConnectHttp, ConnectOpenApi, HttpAction } from './http/schema.ts'
import { keepSecrets } from './kept-settings.ts'
import { showBuiltIn, withPolicies } from './list.ts'
import { deleteLogins } from './oauth/login-store.ts'
import { connectOpenApi } from './openapi/connect.ts'
import { save, toAudited } from './save.ts'
import { ConnectMcp, type Connector } from './schema.ts'
import { sealSecret } from './secret.ts'
import * as store from './store.ts'
import { notConnected, testBuiltIn } from './try-connector.ts'

/**
 * Connectors give agents actions on other systems. Built-ins are defined one to a file (`slack.ts`, `email.ts`); an
 * account connects them with its credentials, MCP servers (`connect-mcp.ts`) with their address and headers, and HTTP
 * APIs (`http/`, `openapi/`) with their base address and login. This file connects and disconnects; `open-tools.ts`
 * opens the tools for a run, and decrypts credentials only for a call.
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
  switch (kindOf(body)) {
    case 'http':
      return connectHttp(ctx, id, parseBody(ConnectHttp, body, ctx.action))
    case 'openapi':
      return connectOpenApi(ctx, id, parseBody(ConnectOpenApi, body, ctx.action))
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
  const keptVersion = kept.isKept ? stored?.version : undefined
  await whileLocked(ctx, (transaction) => save(ctx, transaction, row, keptVersion))
  // The response says whether the connection works.
  const tested = await testBuiltIn(ctx, builtIn, row)
  const state = await noteState(ctx.database, 'connectors', ctx.accountId, row, tested)
  return showBuiltIn(ctx, ctx.accountId, builtIn, { ...row, ...state })
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
