import { checkListBytes, whileLocked } from '../../accounts/bounds.ts'
import type { Context, Services } from '../../context.ts'
import { noteState, type Finding } from '../../db/connection-state.ts'
import { DomainError } from '../../errors.ts'
import { listMcpTools, McpError } from '../mcp/client.ts'
import { isUsable, maxMcpTools } from '../mcp/pins.ts'
import { hideSecrets, openServer, serverSecrets } from '../secret.ts'
import { countToolBytes, saveFirstTools, type McpRow } from '../store.ts'

/**
 * Reads and pins the tools of a server that could not be asked for them before the first login. The admin who connected
 * it accepted them as they would be. A failure is the connector's state.
 */
export async function readFirstTools(
  services: Services,
  accountId: string,
  row: McpRow,
  bearer: string,
): Promise<void> {
  const finding = await pin(services, accountId, row, bearer).catch((error: unknown): Finding => {
    if (!(error instanceof McpError) && !(error instanceof DomainError)) throw error
    const server = openServer(services.secrets, accountId, row)
    return { ok: false, message: hideSecrets(error.message, serverSecrets({ ...server, bearer })) }
  })
  await noteState(services.database, 'connectors', accountId, row, finding)
}

async function pin(
  services: Services,
  accountId: string,
  row: McpRow,
  bearer: string,
): Promise<Finding> {
  const server = { ...openServer(services.secrets, accountId, row), bearer }
  const read = async (picked: McpRow['picked']) => {
    using _slot = await services.limits.mcpToolLists.take(accountId, 'log in')
    return listMcpTools(services, server, picked ?? undefined)
  }
  let { picked } = row
  let tools = await read(picked)
  const usable = tools.filter(isUsable).length
  const isTooMany = usable > maxMcpTools
  if (isTooMany) {
    picked = { only: [] }
    tools = await read(picked)
  }
  const ctx = { ...services, accountId, action: 'log in' } as Context
  await whileLocked(ctx, async (transaction) => {
    await saveFirstTools(transaction, accountId, { ...row, picked, tools })
    await checkListBytes(ctx, transaction, 'MCP tools', { countBytes: countToolBytes })
  })
  const names = new Set(tools.map(({ name }) => name))
  const unknown = [...(row.picked?.only ?? []), ...row.safe_tools].filter(
    (name) => !names.has(name),
  )
  const message = [
    `The server has ${usable} tools`,
    isTooMany && `at most ${maxMcpTools} can be offered, connect it again and pick some`,
    unknown.length > 0 &&
      `it has none of these names: ${[...new Set(unknown)].slice(0, 20).join(', ')}`,
  ]
  return { ok: true, message: message.filter((part) => part !== false).join('; ') }
}
