import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { noteState } from '../db/connection-state.ts'
import { cannot, type DomainError } from '../errors.ts'
import { findBuiltInConnector, secretsOf } from './built-ins.ts'
import { callContextOf } from './call-context.ts'
import type { BuiltInConnector } from '../tools/connector.ts'
import { isHttpRow } from './http/row.ts'
import { McpError } from './mcp/client.ts'
import { isUsable } from './mcp/pins.ts'
import { hideSecrets, serverSecrets } from './secret.ts'
import { readMcpTools } from './read-mcp-tools.ts'
import type { ConnectorTest } from './schema.ts'
import { openServer } from './secret.ts'
import { answerRefusal, findBearer } from './oauth/logins.ts'
import { testHttp } from './openapi/reread.ts'
import { connectors, setChangedTools, type McpRow, type StoredConnector } from './store.ts'

/** Tests whether the stored credentials work, and which tools of an MCP server have changed. */
export async function testConnector(ctx: Context, id: string): Promise<ConnectorTest> {
  const tested = await ask(ctx, id)
  await recordAudit(ctx.database, ctx, { objectId: id, after: { ok: tested.ok } })
  return tested
}

async function ask(ctx: Context, id: string): Promise<ConnectorTest> {
  const stored = await connectors.find(ctx.database, ctx.accountId, { id })
  const builtIn = findBuiltInConnector(id)
  if (stored?.kind === 'mcp') return testMcp(ctx, stored)
  if (isHttpRow(stored)) return testHttp(ctx, ctx.accountId, stored)
  if (builtIn === undefined) throw notConnected(ctx, id)
  const tested = await testBuiltIn(ctx, builtIn, stored)
  if (stored !== undefined)
    await noteState(ctx.database, 'connectors', ctx.accountId, stored, tested)
  return tested
}

export function notConnected(ctx: Pick<Context, 'action'>, id: string): DomainError {
  return cannot(ctx, 'not_found', `no connector ${id} is connected`)
}

export async function testBuiltIn(
  ctx: Pick<
    Context,
    'accountId' | 'action' | 'database' | 'outbound' | 'sandbox' | 'toolSettings' | 'secrets'
  >,
  builtIn: BuiltInConnector,
  stored: StoredConnector | undefined,
): Promise<ConnectorTest> {
  const context = callContextOf(ctx, ctx.accountId, builtIn, stored)
  if (context === undefined) throw notConnected(ctx, builtIn.id)
  const tested = await builtIn.test(context)
  return {
    ok: tested.ok,
    message: hideSecrets(tested.message, secretsOf(builtIn.id, context.credentials)),
  }
}

async function testMcp(ctx: Context, row: McpRow): Promise<ConnectorTest> {
  const stored = openServer(ctx.secrets, ctx.accountId, row)
  const userId = ctx.actor.type === 'user' ? ctx.actor.id : null
  const login = await findBearer(ctx, ctx.accountId, row, userId)
  if ('why' in login) return { ok: false, message: login.why, changed_tools: row.changed_tools }
  const server = { ...stored, bearer: login.bearer }
  try {
    const listed = await readMcpTools(ctx, server, row.picked ?? undefined)
    const present = listed.filter(isUsable)
    const accepted = row.tools.filter(isUsable)
    const hashes = new Map(present.map(({ name, hash }) => [name, hash]))
    const changed = accepted
      .filter(({ name, hash }) => hashes.get(name) !== hash)
      .map(({ name }) => name)
    await setChangedTools(ctx.database, ctx.accountId, row, changed)
    const added = present.length - accepted.filter(({ name }) => hashes.has(name)).length
    const parts = [
      `The server has ${present.length} tools${row.picked === null ? '' : ' of the picked ones'}`,
      changed.length > 0 && `changed or gone since they were accepted: ${changed.join(', ')}`,
      added > 0 && `${added} of them new`,
      changed.length + added > 0 && 'connect it again to accept them',
    ]
    const message = parts.filter((part) => part !== false).join('; ')
    // The connection works; changed tools are reported separately.
    await noteState(ctx.database, 'connectors', ctx.accountId, row, { ok: true, message })
    return { ok: changed.length === 0, message, changed_tools: changed }
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    const { refusal } = error
    if (refusal !== undefined && login.row !== undefined) {
      const { row: used } = login
      const answer = await answerRefusal(ctx, ctx.accountId, row, { refusal, row: used })
      if ('why' in answer)
        return { ok: false, message: answer.why, changed_tools: row.changed_tools }
    }
    const message = hideSecrets(error.message, serverSecrets(server))
    await noteState(ctx.database, 'connectors', ctx.accountId, row, { ok: false, message })
    return { ok: false, message, changed_tools: row.changed_tools }
  }
}
