import type { Caller } from '../context.ts'
import type { SealedPlace, SecretBox } from '../secret-box.ts'
import type { McpServer } from './mcp/session.ts'
import type { McpRow } from './store.ts'

/** Encrypts a connector's credentials or `McpServer`, bound to its account and id. */
export function sealSecret({ secrets, accountId }: Caller, id: string, secret: object): Buffer {
  return secrets.seal(Buffer.from(JSON.stringify(secret)), connectorPlace(accountId, id))
}

export function openSecret(
  secrets: SecretBox,
  accountId: string,
  connector: { id: string; secret: Buffer },
): Record<string, unknown> {
  return JSON.parse(
    secrets.open(connector.secret, connectorPlace(accountId, connector.id)).toString(),
  )
}

/**
 * The address of an MCP server is as secret as its headers, because many have a token in the path
 * or query.
 */
export function openServer(secrets: SecretBox, accountId: string, row: McpRow): StoredServer {
  return { ...(openSecret(secrets, accountId, row) as unknown as StoredServer), accountId }
}

export interface StoredServer extends McpServer {
  /** The client that an admin registered at the authorization server by hand. */
  client?: { id: string; secret?: string }
}

export function connectorPlace(accountId: string, id: string): SealedPlace {
  return ['connector', accountId, id]
}

/**
 * Removes the secrets that were sent to a server from its response: servers echo them, especially
 * in error messages. Short values are kept, because they would match ordinary words.
 */
export function hideSecrets(text: string, secrets: Record<string, unknown>): string {
  return Object.values(secrets)
    .flatMap((value) => (typeof value === 'string' ? variants(value) : []))
    .reduce((hidden, secret) => hidden.replaceAll(secret, '[secret]'), text)
}

/**
 * Secrets that an MCP server was sent: its headers, and parts of its address that may be tokens.
 */
export function serverSecrets({
  url,
  headers,
  bearer,
  client,
}: StoredServer): Record<string, string> {
  const { pathname, search, searchParams } = new URL(url)
  const parts = [...pathname.split('/'), ...searchParams.values()].filter(
    ({ length }) => length >= shortestToken,
  )
  return {
    ...headers,
    ...(bearer !== undefined && { bearer }),
    ...(client?.secret !== undefined && { client: client.secret }),
    ...Object.fromEntries([search, ...parts].map((part) => [`url ${part}`, part])),
  }
}

const shortest = 6
// Addresses contain ordinary words as well.
const shortestToken = 16

/** A header such as `Bearer abc` also hides its token alone. */
function variants(value: string): string[] {
  const token = value.split(' ').at(-1) ?? value
  return [value, token].filter((secret) => secret.length >= shortest)
}
