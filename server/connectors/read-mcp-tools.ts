import type { Context } from '../context.ts'
import { listMcpTools } from './mcp/client.ts'
import type { McpServer } from './mcp/session.ts'
import type { PinnedTool, ToolPick } from './mcp/pins.ts'

/**
 * Reads a server's current tools, for a person who connects or tests it. A response may have 4 MB,
 * parsed at once, and the server may keep it open, so few are read at a time.
 */
export async function readMcpTools(
  ctx: Context,
  server: McpServer,
  pick: ToolPick | undefined,
): Promise<PinnedTool[]> {
  using _slot = await ctx.limits.mcpToolLists.take(ctx.accountId, ctx.action)
  return await listMcpTools(ctx, server, pick)
}
