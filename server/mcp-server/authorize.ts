import type { FastifyRequest } from 'fastify'
import type { Authenticator, CallerRole } from '../identity.ts'
import type { TokenHolder, TokenLookup } from '../oauth-server/identify-token.ts'
import { scopes, type Scope } from '../oauth-server/scopes.ts'

/**
 * Authenticates a request at `/mcp` by its bearer token, which is an API key or an access token of the authorization
 * server. Sessions do not count, so a page in a browser cannot act for the person who is signed in.
 */
export async function authorize(
  authenticator: Pick<Authenticator, 'identify'>,
  { headers: { authorization } }: Pick<FastifyRequest, 'headers'>,
  lookUpToken: TokenLookup,
): Promise<TokenHolder> {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  const granted = token === undefined ? undefined : await lookUpToken(token)
  if (granted !== undefined) {
    const { principal } = granted
    return { principal, scopes: granted.scopes.intersection(scopesOf(principal.role)) }
  }
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
