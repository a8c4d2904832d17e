import { sql } from 'kysely'
import type { AuditWord } from '../audit/words.ts'
import type { Context, Services } from '../context.ts'
import { actorType, type Person } from '../engine/run/fields.ts'
import { cannot } from '../errors.ts'
import { refuseSuspended, type AccountState, type Actor } from '../identity.ts'
import { derivedId } from '../ids.ts'
import { accountState } from './account-state.ts'

/** Work that the service does by itself for an account, such as triggering a schedule's run. */
export interface BackgroundWork {
  /**
   * What caused the work, such as a schedule, or the user who created a batch: the actor in the
   * audit log and of the run.
   */
  cause: Person
  /** The people behind the cause. */
  onBehalfOf?: Person[]
  /** Completes "Cannot …" in messages. */
  action: string
  audit: AuditWord
  /** Reserved id of what the work creates: a repeat after a crash finds it, and its audit entry. */
  reservedId: string
}

/**
 * The context of an operation that no request called, with the role of a member. Rejects if the
 * account is suspended or deleted.
 */
export async function backgroundContext(
  services: Services,
  accountId: string,
  { cause, onBehalfOf = [], action, audit, reservedId }: BackgroundWork,
): Promise<Context> {
  const { rows } = await sql<{ account: AccountState }>`
    select ${accountState} as account from accounts
    where id = ${accountId} and deleted_at is null`.execute(services.database)
  const [found] = rows
  if (found === undefined) throw cannot({ action }, 'not_found', `account ${accountId} is gone`)
  refuseSuspended(found, action)
  const type = actorType(cause.id)
  const actor: Actor = type === 'user' ? { type, ...cause, sessionId: '' } : { type, ...cause }
  return {
    ...services,
    ...found,
    accountId,
    actor,
    role: 'member',
    models: await services.accountModels.of(accountId),
    action,
    onBehalfOf: othersOf(onBehalfOf, actor),
    audit: {
      id: auditIdOf(reservedId, audit),
      actor,
      action: audit,
      address: null,
      requestId: null,
    },
  }
}

/** The people other than the actor; undefined for none. */
export function othersOf(people: Person[], actor: Actor): Person[] | undefined {
  const others = people.filter(({ id }) => id !== actor.id)
  return others.length === 0 ? undefined : others
}

/** The same context, for another resource that the work creates or changes. */
export function forResource({ audit, ...ctx }: Context, reservedId: string): Context {
  return { ...ctx, audit: { ...audit, id: auditIdOf(reservedId, audit.action) } }
}

function auditIdOf(reservedId: string, word: AuditWord): string {
  return derivedId('aud', reservedId, word)
}
