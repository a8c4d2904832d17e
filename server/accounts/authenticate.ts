import { Batcher } from '../db/batcher.ts'
import type { Database } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { canBeKey, hashKey } from './key.ts'
import { findEndedKeys, identify, type Identity } from './store.ts'

export { findEndedKeys, type Identity }

/**
 * Who sends a request. The database is asked every time, so that a revoked key fails at once on
 * every process; requests that arrive together share one look-up.
 */
export type Authenticate = (authorization: string | undefined) => Promise<Identity>

export function createAuthenticate(database: Database): Authenticate {
  const lookups = new Batcher<Buffer, Identity | null>((hashes) => identify(database, hashes), {
    maxFlushes: 2,
  })
  return async (authorization) => {
    if (authorization === undefined) {
      throw new DomainError(
        'missing_api_key',
        'Cannot authenticate: the header Authorization: Bearer <API key> is missing',
      )
    }
    const key = /^Bearer +(\S{1,200}) *$/i.exec(authorization)?.[1]
    const isKey = key !== undefined && canBeKey(key)
    const identity = isKey ? await lookups.add(hashKey(key)) : null
    if (identity === null) {
      throw new DomainError(
        'invalid_api_key',
        'Cannot authenticate: the API key is unknown, expired or revoked',
      )
    }
    return identity
  }
}
