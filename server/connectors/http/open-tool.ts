import type { Services } from '../../context.ts'
import { noteUse } from '../../db/connection-state.ts'
import { versionOfTool, type Tool } from '../../tools/contract.ts'
import { callHttp } from './call.ts'
import { openConnection } from './login.ts'
import type { HttpTool } from './pinned.ts'
import type { HttpRow } from './row.ts'

/** An action of an HTTP API as a tool of agents; its secrets are decrypted when it is called. */
export function openHttpTool(
  services: Services,
  accountId: string,
  connector: HttpRow,
  tool: HttpTool,
): Tool {
  const isSafe = connector.safe_tools.includes(tool.name)
  const unavailable = whyRefused(connector, tool)
  return {
    id: `${connector.id}.${tool.name}`,
    description: tool.description,
    inputSchema: { type: 'object', properties: {}, ...tool.input_schema },
    isForeign: true,
    sensitive: !isSafe,
    version: versionOfTool(tool.hash, connector.version),
    unavailable,
    call: async (input, options) => {
      const { request } = tool
      if (unavailable !== undefined || request === undefined) {
        return { status: 'failed', output: unavailable ?? `Cannot call ${tool.name}` }
      }
      const connection = openConnection(services, accountId, connector)
      const tokenKey = `${accountId} ${connector.id} ${connector.version}`
      const call = { accountId, tokenKey, connection, request, isSafe }
      const { result, isReached } = await callHttp(services, call, input, options)
      if (isReached !== undefined) {
        const message = isReached ? 'The API answered a call' : result.output
        await noteUse(services, 'connectors', accountId, connector, { ok: isReached, message })
      }
      return result
    },
  }
}

/** Why an action cannot be called. */
export function whyRefused(
  { changed_tools: changed }: HttpRow,
  { name, refused }: HttpTool,
): string | undefined {
  if (refused !== undefined) return `Cannot offer ${name}: ${refused}`
  if (!changed.includes(name)) return undefined
  return `Cannot call ${name}: the document changed it since an admin accepted it; an admin must accept the document again`
}
