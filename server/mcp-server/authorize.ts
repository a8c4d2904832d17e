import type { FastifyRequest } from 'fastify'
import type { Authenticator, CallerRole, Identity } from '../identity.ts'

/** What a caller of the MCP server may do: start and cancel runs, read, answer what waits for a person. */
const scopes = ['run', 'read', 'answer'] as const
export type Scope = (typeof scopes)[number]

export interface Authorized {
  principal: Identity
  scopes: ReadonlySet<Scope>
}

/** Finds the person behind a token of the authorization server; undefined for any other text. */
export type TokenLookup = (token: string) => Promise<Authorized | undefined>

/**
 * Authenticates a request at `/mcp` by its bearer token, which is an API key or a token that `lookUpToken` knows.
 * Sessions do not count, so a page in a browser cannot act for the person who is signed in.
 */
export async function authorize(
  authenticator: Pick<Authenticator, 'identify'>,
  { headers: { authorization } }: Pick<FastifyRequest, 'headers'>,
  lookUpToken: TokenLookup = async () => undefined,
): Promise<Authorized> {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  const granted = token === undefined ? undefined : await lookUpToken(token)
  if (granted !== undefined) return granted
  const principal = await authenticator.identify({ authorization, session: undefined })
  return { principal, scopes: scopesOf(principal.role) }
}

/** The scopes of an API key, and the most that a person with the role can grant. */
function scopesOf(role: CallerRole): ReadonlySet<Scope> {
  switch (role) {
    case 'viewer':
      return new Set(['read'])
    case 'approver':
      return new Set(['read', 'answer'])
    case 'member':
    case 'admin':
      return new Set(scopes)
    case 'worker':
    case 'operator':
      return new Set()
  }
}

/** The scope that a call of a tool needs. */
export function scopeOfTool(name: string): Scope {
  switch (name) {
    case 'run_status':
    case 'run_wait':
    case 'inbox_list':
      return 'read'
    case 'inbox_answer':
      return 'answer'
    case 'run_cancel':
    default:
      return 'run'
  }
}
