import { cannot, DomainError } from './errors.ts'

/** Roles; each includes the permissions of the roles before it. */
export const roles = ['viewer', 'approver', 'member', 'admin'] as const
export type Role = (typeof roles)[number]

/** Roles of keys. A worker executes tools of callers, and may do nothing else. */
export const keyRoles = [...roles, 'worker'] as const
export type KeyRole = (typeof keyRoles)[number]

/** `operator`: runs the service, outside of all accounts. */
export type CallerRole = KeyRole | 'operator'

/** `anyone` needs neither key nor session. */
export type NeededRole = Role | 'operator' | 'anyone'

export function allows(role: CallerRole, needed: NeededRole): boolean {
  if (role === 'operator' || needed === 'operator') return role === needed
  if (needed === 'anyone') return true
  return role !== 'worker' && roles.indexOf(role) >= roles.indexOf(needed)
}

/**
 * An actor: a program with a key, a person in a session, or the service itself for a schedule or a
 * hook.
 */
export type Actor =
  | { type: 'system'; id: string; name: string }
  | { type: 'key'; id: string; name: string }
  /** `sessionId` is a grant's id if a program acts for the person. */
  | { type: 'user'; id: string; name: string; sessionId: string }

/** The key, session or grant with which an actor accesses an account. */
export interface Credential {
  accountId: string
  id: string
}

/** Facts about an account that every request needs. */
export interface AccountState {
  isSuspended: boolean
  /** Its runs or storage are limited by a quota. */
  hasQuota: boolean
  /** Its model calls are limited by budgets. */
  hasBudgets: boolean
}

/** The sender of a request, with account and role. */
export interface Identity {
  accountId: string
  role: CallerRole
  actor: Actor
  account: AccountState
}

export type Holder = Pick<Identity, 'accountId' | 'actor'>

export interface Authenticator {
  /** Rejects if the credentials are missing, unknown, expired or revoked. */
  identify(credentials: {
    authorization: string | undefined
    session: string | undefined
  }): Promise<Identity>
  /** Which of these keys and sessions are no longer valid for their account, by `credentialKey`. */
  findEnded(holders: Holder[]): Promise<Set<string>>
}

/**
 * Includes the account, because a session can switch between the accounts of its user and may hold
 * requests of several.
 */
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

/** The user behind a request; throws for API keys. */
export function personOf(
  { actor }: { actor: Actor },
  action: string,
): { userId: string; sessionId: string } {
  if (actor.type !== 'user') throw personRequired(action)
  return { userId: actor.id, sessionId: actor.sessionId }
}

export function personRequired(action: string): DomainError {
  return cannot({ action }, 'user_required', 'sign in as a user, a key is not a user')
}
