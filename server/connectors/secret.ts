import type { Caller } from '../context.ts'
import type { SealedPlace, SecretBox } from '../secret-box.ts'
import type { McpServer } from '../tools/mcp-session.ts'
import type { McpRow } from './store.ts'

/** What is stored, each bound to its account and connector: credentials, or an `McpServer`. */
export function sealSecret({ secrets, accountId }: Caller, id: string, secret: object): Buffer {
  return secrets.seal(Buffer.from(JSON.stringify(secret)), placeOf(accountId, id))
}

export function openSecret(
  secrets: SecretBox,
  accountId: string,
  connector: { id: string; secret: Buffer },
): Record<string, unknown> {
  return JSON.parse(secrets.open(connector.secret, placeOf(accountId, connector.id)).toString())
}

/** The address of an MCP server is as secret as its headers: many hold a token in path or query. */
export function openServer(secrets: SecretBox, accountId: string, row: McpRow): McpServer {
  return { ...(openSecret(secrets, accountId, row) as unknown as McpServer), accountId }
}

export function placeOf(accountId: string, id: string): SealedPlace {
  return ['connector', accountId, id]
}
