import { hashToken } from '../accounts/credentials.ts'
import type { Services } from '../context.ts'
import { Batcher } from '../db/batcher.ts'
import type { Identity } from '../identity.ts'
import { isAccessToken } from './credentials.ts'
import { mcpResource } from './metadata.ts'
import type { Scope } from './scopes.ts'
import { identifyTokens, type TokenIdentity } from './store.ts'

/** The person for whom a program acts, with their role of now, and what they allowed the program. */
export interface TokenHolder {
  principal: Identity
  scopes: ReadonlySet<Scope>
}

/** Undefined for any text that is no current access token. */
export type TokenLookup = (token: string) => Promise<TokenHolder | undefined>

/**
 * Looks up access tokens for `/mcp`. Every request is looked up in the database, so that an ended grant or membership
 * counts at once on every process; tokens that arrive together share a lookup. The account may be suspended.
 */
export function createTokenLookup(services: Pick<Services, 'database' | 'publicUrl'>): TokenLookup {
  const tokens = new Batcher<Buffer, TokenIdentity | null>(
    (hashes) => identifyTokens(services.database, mcpResource(services.publicUrl), hashes),
    { maxFlushes: 2 },
  )
  return async (token) => {
    if (!isAccessToken(token)) return undefined
    const found = await tokens.add(hashToken(token))
    if (found === null) return undefined
    const { accountId, account, role, grantId: sessionId, userId: id, userName: name } = found
    const actor = { type: 'user', id, name, sessionId } as const
    return { principal: { accountId, account, role, actor }, scopes: new Set(found.scopes) }
  }
}
