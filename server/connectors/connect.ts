import { randomUUID } from 'node:crypto'
import { lockAccount } from '../accounts/lock.ts'
import type { Context } from '../context.ts'
import { DomainError } from '../errors.ts'
import { findBuiltIn } from '../tools/built-ins.ts'
import type { BuiltIn } from '../tools/connector.ts'
import { connectMcp } from './connect-mcp.ts'
import { showBuiltIn, withPolicies } from './list.ts'
import { parseBody } from './parse-body.ts'
import { ConnectMcp, type Connector } from './schema.ts'
import { sealSecret } from './secret.ts'
import { saveAudited } from './save-audited.ts'

/** Connects a built-in with its credentials, or an MCP server; which of them the id says. */
export async function connectConnector(
  ctx: Context,
  id: string,
  body: unknown,
): Promise<Connector> {
  const action = `connect ${id.slice(0, 40)}`
  const builtIn = findBuiltIn(id)
  const connected =
    builtIn === undefined
      ? await connectServer(ctx, id, action, body)
      : await connectBuiltIn(ctx, builtIn, action, body)
  const [shown = connected] = await withPolicies(ctx, [connected])
  return shown
}

function connectServer(
  ctx: Context,
  id: string,
  action: string,
  body: unknown,
): Promise<Connector> {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(id)) {
    const accepted = 'a letter a-z and up to 39 more of a-z 0-9 -'
    throw new DomainError('invalid_format', `Cannot ${action}: id is not ${accepted}`, {
      param: 'id',
    })
  }
  return connectMcp(ctx, id, action, parseBody(ConnectMcp, body, action))
}

async function connectBuiltIn(
  ctx: Context,
  builtIn: BuiltIn,
  action: string,
  body: unknown,
): Promise<Connector> {
  const { id, credentials: schema } = builtIn
  if ((body as { kind?: unknown } | null | undefined)?.kind === 'mcp') {
    const why = `id is ${id}, a connector that comes with Muster, choose another for an MCP server`
    throw new DomainError('invalid_value', `Cannot ${action}: ${why}`, { param: 'id' })
  }
  const credentials = parseBody(schema, body, action)
  const secret = sealSecret(ctx.secrets, ctx.accountId, id, credentials)
  const row = { kind: 'builtin' as const, id, secret, version: randomUUID() }
  await ctx.database.transaction().execute(async (transaction) => {
    await lockAccount(transaction, ctx.accountId)
    await saveAudited(transaction, ctx, row)
  })
  return showBuiltIn(ctx, builtIn, row)
}
