import { recordAudit } from '../audit/record.ts'
import type { Database } from '../db/client.ts'
import { newId } from '../ids.ts'
import type { LoggedOut } from './oidc/claims.ts'
import { deleteSessionsOf } from './session-store.ts'

/** Ends the sessions of a user who signed out at the provider; returns how many. */
export function endSessionsAtProvider(
  database: Database,
  who: LoggedOut,
  { address, requestId }: { address: string | null; requestId: string | null },
): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    const ended = await deleteSessionsOf(transaction, who)
    for (const { id, accountId, userId } of ended) {
      const actor = { type: 'system', id: null, name: 'OpenID Connect provider' } as const
      const audit = {
        id: newId('aud'),
        actor,
        action: 'session.deleted',
        address,
        requestId,
      } as const
      const change = { objectId: id, before: { user_id: userId } }
      await recordAudit(transaction, { accountId, audit }, change)
    }
    return ended.length
  })
}
