import { cannot, DomainError } from './errors.ts'
import type { CallerRole } from './roles.ts'

/** Who acts: a program with a key, a person in a session, or the service itself for a schedule or a hook. */
export type Actor =
  | { type: 'system'; id: string; name: string }
  | { type: 'key'; id: string; name: string }
  | { type: 'user'; id: string; name: string; sessionId: string }

/** The key, or the session, by which somebody acts in an account. */
export interface Credential {
  accountId: string
  id: string
}

/** What every request has to know of its account. */
export interface AccountState {
  isSuspended: boolean
  /** It may trigger only so many runs, or store only so many bytes. */
  hasQuota: boolean
  /** What its model calls may cost in a day, week or month is bounded. */
  hasBudgets: boolean
}

/** Who sends a request, and in which account and role they act. */
export interface Identity {
  accountId: string
  role: CallerRole
  actor: Actor
  account: AccountState
}

export type Holder = Pick<Identity, 'accountId' | 'actor'>

export interface Authenticator {
  /** Rejects where the credentials are missing, unknown, expired or revoked. */
  identify(credentials: {
    authorization: string | undefined
    session: string | undefined
  }): Promise<Identity>
  /** Which of the keys and sessions of these holders no longer count for their account, by `credentialKey`. */
  findEnded(holders: Holder[]): Promise<Set<string>>
}

/** A session may hold requests of several accounts: it moves between those of its person. */
export function credentialKey({ accountId, actor }: Holder): string {
  return `${accountId} ${actor.type === 'user' ? actor.sessionId : actor.id}`
}

export function sessionEnded(): DomainError {
  return new DomainError('session_ended', 'Cannot authenticate: the session has ended, sign in')
}

export function endedMeanwhile(asked: { action: string }): DomainError {
  return cannot(asked, 'invalid_api_key', 'the API key or the session has ended meanwhile')
}

export function refuseSuspended({ account }: Pick<Identity, 'account'>, action: string): void {
  if (!account.isSuspended) return
  throw cannot({ action }, 'account_suspended', 'the operator has suspended the account')
}
