import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { checkListBytes } from '../accounts/list-bytes.ts'
import { lockAccount } from '../accounts/lock.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { listMcpTools, McpError, type McpServer } from '../tools/mcp.ts'
import type { PinnedTool } from '../tools/mcp-pins.ts'
import { hideSecrets, serverSecrets } from './hide-secrets.ts'
import { showMcp } from './list.ts'
import { nearest } from '../nearest.ts'
import type { ConnectMcp, Connector } from './schema.ts'
import { saveAudited } from './save-audited.ts'
import { openServer, sealSecret } from './secret.ts'
import { countToolBytes, findStored, maxMcpServersPerAccount, type McpRow } from './store.ts'

/** Asks the server for its tools and accepts them as they are now. */
export async function connectMcp(
  ctx: Context,
  id: string,
  action: string,
  input: ConnectMcp,
): Promise<Connector> {
  const { url, safe_tools: safeTools = [] } = input
  const refusal = await ctx.outbound.check(url, { allowHttp: 'inside' })
  if (refusal !== undefined) {
    throw new DomainError('invalid_url', `Cannot ${action}: url ${refusal}`, { param: 'url' })
  }
  const stored = await findServer(ctx, id, url).catch((error: unknown) => {
    // What cannot be opened is replaced, unless its headers are wanted.
    if (input.headers === undefined) throw error
    return undefined
  })
  const headers = input.headers ?? stored?.headers ?? {}
  const isSame = isDeepStrictEqual(headers, stored?.headers)
  checkHeaders(action, headers)
  const tools = await readTools(ctx, action, url, headers)
  checkSafeTools(action, safeTools, tools)
  const row: McpRow = {
    kind: 'mcp',
    id,
    secret: sealSecret(ctx.secrets, ctx.accountId, id, { url, headers }),
    // Tools that are accepted again as they were keep the approvals that were asked for.
    version: isSame && stored !== undefined ? stored.version : randomUUID(),
    url: new URL(url).origin,
    header_names: Object.keys(headers),
    safe_tools: [...new Set(safeTools)],
    tools,
    changed_tools: [],
  }
  const isSaved = await ctx.database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, ctx.accountId)
    const saved = await saveAudited(transaction, ctx, row)
    const tools = { countBytes: countToolBytes }
    await checkListBytes({ ...ctx, action }, transaction, 'MCP tools', tools)
    return saved
  })
  if (isSaved) return showMcp(row)
  throw new DomainError(
    'too_many_connectors',
    `Cannot ${action}: the account has ${maxMcpServersPerAccount} MCP servers, the maximum`,
  )
}

/** What is stored for the same address: another one must not get its headers. */
async function findServer(
  ctx: Context,
  id: string,
  url: string,
): Promise<(McpServer & { version: string }) | undefined> {
  const stored = await findStored(ctx.database, ctx.accountId, id)
  if (stored?.kind !== 'mcp') return undefined
  const server = openServer(ctx.secrets, ctx.accountId, stored)
  return server.url === url ? { ...server, version: stored.version } : undefined
}

async function readTools(
  ctx: Context,
  action: string,
  url: string,
  headers: Record<string, string>,
): Promise<PinnedTool[]> {
  try {
    return await listMcpTools(ctx.outbound, { url, headers })
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    const why = hideSecrets(error.message, serverSecrets({ url, headers }))
    throw new DomainError('connector_refused', `Cannot ${action}: ${why}`, { param: 'url' })
  }
}

// The transport and the protocol set these.
const reserved =
  /^(host|connection|upgrade|transfer-encoding|te|accept|accept-encoding|content-.*|mcp-.*|last-event-id)$/i

function checkHeaders(action: string, headers: Record<string, string>): void {
  const name = Object.keys(headers).find((candidate) => reserved.test(candidate))
  if (name === undefined) return
  const why = `headers.${name} is set by Muster itself, leave it out`
  throw new DomainError('invalid_value', `Cannot ${action}: ${why}`, { param: `headers.${name}` })
}

function checkSafeTools(
  action: string,
  safeTools: readonly string[],
  tools: readonly PinnedTool[],
): void {
  const names = tools.map(({ name }) => name)
  const index = safeTools.findIndex((name) => !names.includes(name))
  if (index === -1) return
  const param = `safe_tools[${index}]`
  const near = nearest(safeTools[index] ?? '', names).join(', ')
  throw new DomainError(
    'invalid_value',
    `Cannot ${action}: ${param} is not a tool of the server, nearest are ${near}`,
    { param },
  )
}
