import { timingSafeEqual } from 'node:crypto'
import {
  endedMeanwhile,
  sessionEnded,
  type Actor,
  type Authenticator,
  type Credential,
  type Holder,
  type Identity,
} from '../identity.ts'
import { Batcher } from '../db/batcher.ts'
import type { Database, Transaction } from '../db/client.ts'
import { DomainError, cannot } from '../errors.ts'
import { canBeToken, hashToken, canBeKey, hashKey } from './credentials.ts'
import { findEndedSessions, identifySessions } from './session-store.ts'
import { unlimited } from './account-state.ts'
import { findEndedKeys, identify } from './store.ts'
import type { Context } from '../context.ts'
import * as store from './store.ts'

/**
 * Authenticates requests: programs by API key, people by session cookie. Every request is looked up
 * in the database, so that a revoked key or session fails at once on every process; requests that
 * arrive together share a lookup. The operator's key comes from the configuration and belongs to no
 * account.
 */
export function createAuthenticator(database: Database, operatorKey?: string): Authenticator {
  const operatorHash = operatorKey === undefined ? undefined : hashKey(operatorKey)
  const keys = new Batcher<Buffer, Identity | null>((hashes) => identify(database, hashes), {
    maxFlushes: 2,
  })
  const sessions = new Batcher<string, Identity | null>(
    (tokens) => identifySessionTokens(database, tokens),
    { maxFlushes: 2 },
  )
  const identifyBy: Authenticator['identify'] = async ({ authorization, session }) => {
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
  return { identify: identifyBy, findEnded: (holders) => findEnded(database, holders) }
}

const operator: Identity = {
  accountId: 'operator',
  account: unlimited,
  role: 'operator',
  actor: { type: 'key', id: 'operator', name: 'operator' },
}

/** Names the scheme, unless it may be a key without a scheme. */
function notBearer(scheme: string): DomainError {
  const isScheme = /^[a-z]{1,20}$/i.test(scheme)
  const isEmpty = scheme.toLowerCase() === 'bearer'
  const form = isScheme ? `has the scheme ${scheme}` : 'has another form'
  const what = isEmpty ? 'has no key' : form
  const why = `the header Authorization ${what}, expected Bearer <API key>`
  return new DomainError('missing_api_key', `Cannot authenticate: ${why}`)
}

/** Which of these credentials are no longer valid, by `credentialKey`. */
async function findEnded(
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
  return new Set(ended.flat().map(({ accountId, id }) => `${accountId} ${id}`))
}

/**
 * Throws if the caller has lost access since the request started. Called before long work takes
 * effect.
 */
export async function refuseEnded(
  database: Database | Transaction,
  asked: Holder & { action: string },
): Promise<void> {
  if ((await findEnded(database, [asked])).size > 0) throw endedMeanwhile(asked)
}

function toCredential({ accountId, actor }: Holder): Credential {
  return { accountId, id: actor.type === 'user' ? actor.sessionId : actor.id }
}

/** The identities of session tokens, in order; null for ended sessions. */
async function identifySessionTokens(
  database: Database,
  tokens: string[],
): Promise<(Identity | null)[]> {
  const hashes = tokens.map((token) => hashToken(canBeToken(token) ? token : ''))
  const sessions = await identifySessions(database, hashes)
  return sessions.map((session) => {
    if (session === null) return null
    const { accountId, account, role, userId: id, userName: name, sessionId } = session
    return { accountId, account, role, actor: { type: 'user', id, name, sessionId } }
  })
}

/**
 * Access that an expiring key grants must not outlive it: it expires with the key, or is refused,
 * and an expired key grants nothing. Null for a person, and for a key that never expires.
 */
export async function expiryOf(transaction: Transaction, ctx: Context): Promise<Date | null> {
  await refuseEnded(transaction, ctx)
  const own = await store.keys.find(transaction, ctx.accountId, { id: ctx.actor.id })
  return own?.expires_at ?? null
}

/** Throws if an expiring key tries to grant access without an expiry. */
export async function refuseIfExpiring(transaction: Transaction, ctx: Context): Promise<void> {
  const end = await expiryOf(transaction, ctx)
  if (end === null) return
  const why =
    `this key expires at ${end.toISOString()}, but the access would not; ask an admin, or use a key that ` +
    'never expires'
  throw cannot(ctx, 'key_expires', why)
}
