import { sql } from 'kysely'
import type { AuditWord } from '../audit/words.ts'
import type { Context, Services } from '../context.ts'
import { cannot } from '../errors.ts'
import { refuseSuspended, type AccountState } from '../identity.ts'
import { derivedId } from '../ids.ts'
import { accountState } from './account-state.ts'

/** What the service does by itself for an account, such as starting the run of a schedule. */
export interface BackgroundWork {
  /** What caused it, such as a schedule: the actor in the audit, and who triggered the run. */
  cause: { id: string; name: string }
  /** Completes "Cannot …" in messages. */
  action: string
  audit: AuditWord
  /** The id that was reserved for what the work makes: a repeat after a crash finds it, and its audit row. */
  reservedId: string
}

/**
 * The context of a verb that no request asked for. Its role is that of a member. Rejects if the account is suspended
 * or gone.
 */
export async function backgroundContext(
  services: Services,
  accountId: string,
  { cause, action, audit, reservedId }: BackgroundWork,
): Promise<Context> {
  const { rows } = await sql<{ account: AccountState }>`
    select ${accountState} as account from accounts
    where id = ${accountId} and deleted_at is null`.execute(services.database)
  const [found] = rows
  if (found === undefined) throw cannot({ action }, 'not_found', `account ${accountId} is gone`)
  refuseSuspended(found, action)
  const actor = { type: 'system' as const, ...cause }
  return {
    ...services,
    ...found,
    accountId,
    actor,
    role: 'member',
    models: await services.accountModels.of(accountId),
    action,
    audit: {
      id: derivedId('aud', reservedId, audit),
      actor,
      action: audit,
      address: null,
      requestId: null,
    },
  }
}
