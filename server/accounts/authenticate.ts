import { timingSafeEqual } from 'node:crypto'
import type { Actor, Credential } from '../actor.ts'
import { Batcher } from '../db/batcher.ts'
import type { Database, Transaction } from '../db/client.ts'
import { cannot, DomainError } from '../errors.ts'
import { findEndedSessions, identifySessionTokens } from '../people/identify.ts'
import { unlimited } from './account-state.ts'
import { canBeKey, hashKey } from './key.ts'
import { findEndedKeys, identify, type Identity } from './store.ts'

export type { Identity }

/**
 * Who sends a request: a program by its key, or a person by the cookie of their session. The database is
 * asked every time, so that what was revoked fails at once on every process; requests that arrive
 * together share one look-up. The operator's key is the one of the configuration, and of no account.
 */
export type Authenticate = (credentials: {
  authorization: string | undefined
  session: string | undefined
}) => Promise<Identity>

export function createAuthenticate(database: Database, operatorKey?: string): Authenticate {
  const operatorHash = operatorKey === undefined ? undefined : hashKey(operatorKey)
  const keys = new Batcher<Buffer, Identity | null>((hashes) => identify(database, hashes), {
    maxFlushes: 2,
  })
  const sessions = new Batcher<string, Identity | null>(
    (tokens) => identifySessionTokens(database, tokens),
    { maxFlushes: 2 },
  )
  return async ({ authorization, session }) => {
    if (authorization !== undefined) {
      const [scheme = ''] = authorization.split(' ', 1)
      const key = authorization.slice(scheme.length).trim()
      if (scheme.toLowerCase() !== 'bearer' || key === '') throw notBearer(scheme)
      const isKey = canBeKey(key)
      if (isKey && operatorHash && timingSafeEqual(hashKey(key), operatorHash)) return operator
      const identity = isKey ? await keys.add(hashKey(key)) : null
      if (identity !== null) return identity
      throw new DomainError(
        'invalid_api_key',
        'Cannot authenticate: the API key is unknown, expired or revoked',
      )
    }
    if (session !== undefined) {
      const identity = await sessions.add(session)
      if (identity !== null) return identity
      throw sessionEnded()
    }
    throw new DomainError(
      'missing_api_key',
      'Cannot authenticate: the header Authorization: Bearer <API key> is missing',
    )
  }
}

export function sessionEnded(): DomainError {
  return new DomainError('session_ended', 'Cannot authenticate: the session has ended, sign in')
}

const operator: Identity = {
  accountId: 'operator',
  account: unlimited,
  role: 'operator',
  actor: { type: 'key', id: 'operator', name: 'operator' },
}

/** The scheme is shown where it is one, and not a key without it. */
function notBearer(scheme: string): DomainError {
  const isScheme = /^[a-z]{1,20}$/i.test(scheme)
  const isEmpty = scheme.toLowerCase() === 'bearer'
  const form = isScheme ? `has the scheme ${scheme}` : 'has another form'
  const what = isEmpty ? 'has no key' : form
  const why = `the header Authorization ${what}, expected Bearer <API key>`
  return new DomainError('missing_api_key', `Cannot authenticate: ${why}`)
}

export function refuseSuspended({ account }: Pick<Identity, 'account'>, action: string): void {
  if (!account.isSuspended) return
  throw cannot({ action }, 'account_suspended', 'the operator has suspended the account')
}

type Holder = Pick<Identity, 'accountId' | 'actor'>

/** Which of the keys and sessions of these holders no longer count for their account, by `credentialOf`. */
export async function findEnded(
  database: Database | Transaction,
  holders: Holder[],
): Promise<Set<string>> {
  const those = (type: Actor['type']) =>
    holders.filter(({ actor }) => actor.type === type).map(toCredential)
  const [keys, sessions] = [those('key'), those('user')]
  const ended = await Promise.all([
    keys.length === 0 ? [] : findEndedKeys(database, keys),
    sessions.length === 0 ? [] : findEndedSessions(database, sessions),
  ])
  return new Set(ended.flat().map(nameOf))
}

/** For work that takes long, before what it leaves: who asked for it may have lost their rights since. */
export async function refuseEnded(
  database: Database | Transaction,
  asked: Holder & { action: string },
): Promise<void> {
  if ((await findEnded(database, [asked])).size > 0) throw endedMeanwhile(asked)
}

export function endedMeanwhile(asked: { action: string }): DomainError {
  return cannot(asked, 'invalid_api_key', 'the API key or the session has ended meanwhile')
}

/** A session may hold requests of several accounts: it moves between those of its person. */
export function credentialOf(holder: Holder): string {
  return nameOf(toCredential(holder))
}

function toCredential({ accountId, actor }: Holder): Credential {
  return { accountId, id: actor.type === 'key' ? actor.id : actor.sessionId }
}

function nameOf({ accountId, id }: Credential): string {
  return `${accountId} ${id}`
}
