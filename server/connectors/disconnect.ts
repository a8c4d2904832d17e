import type { Context } from '../context.ts'
import { deleteStored } from './store.ts'
import { notConnected } from './test-connector.ts'

/** Removes credentials or MCP server; agents keep their capabilities, which then do nothing. */
export async function disconnectConnector(ctx: Context, id: string): Promise<void> {
  if (!(await deleteStored(ctx.database, ctx.accountId, id))) throw notConnected('disconnect', id)
}
