import type { AccountState, Actor } from '../identity.ts'
import type { Database } from '../db/client.ts'
import type { Role } from '../roles.ts'
import { canBeToken, hashToken } from './one-time-token.ts'
import { identifySessions } from './session-store.ts'

export { findEndedSessions } from './session-store.ts'

/** Who the people behind the tokens of cookies are, in their order; null for a session that ended. */
export async function identifySessionTokens(
  database: Database,
  tokens: string[],
): Promise<({ accountId: string; account: AccountState; role: Role; actor: Actor } | null)[]> {
  const hashes = tokens.map((token) => hashToken(canBeToken(token) ? token : ''))
  const sessions = await identifySessions(database, hashes)
  return sessions.map((session) => {
    if (session === null) return null
    const { accountId, account, role, userId: id, userName: name, sessionId } = session
    return { accountId, account, role, actor: { type: 'user', id, name, sessionId } }
  })
}
