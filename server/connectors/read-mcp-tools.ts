import type { Context } from '../context.ts'
import { refusal, Slots } from '../slots.ts'
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
  using _slot = await slots.take(ctx.accountId, ctx.action)
  return await listMcpTools(ctx.outbound, server, pick)
}

/** Limits of the process. A server that hangs occupies a slot for 20 s. */
const why = 'too many MCP servers of the account are asked for their tools, try again later'
const slots = new Slots(
  { active: 6, activePerAccount: 2, waiting: 500, waitingPerAccount: 50, waitMs: 30_000 },
  refusal('rate_limited', why, 5),
)
