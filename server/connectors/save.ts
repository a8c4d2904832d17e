import { refuseEnded } from '../accounts/authenticate.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { cannot, tooMany } from '../errors.ts'
import { maxHttpConnectors } from './http/http-store.ts'
import { isHttpRow } from './http/row.ts'
import { isUsable } from './mcp/pins.ts'
import * as store from './store.ts'

/**
 * Saves a connection. Connecting again is audited as a change, without any details of the credentials. The account must
 * be locked. `keptVersion` is the stored version whose secrets were kept.
 */
export async function save(
  ctx: Context,
  transaction: Transaction,
  connector: store.StoredConnector,
  keptVersion?: string,
): Promise<void> {
  const { id } = connector
  if (keptVersion !== undefined) await checkUnchanged(ctx, transaction, id, keptVersion)
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

/** The audited fields of a connector: no credentials, and only the origin of an address. */
export function toAudited(connector: store.StoredConnector): object {
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
