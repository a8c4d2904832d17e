import { hashToken, makeToken } from '../accounts/credentials.ts'
import { bySystem, recordAudit } from '../audit/record.ts'
import type { Services } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import { missing, readFields, refuseOtherResource } from './authorization-request.ts'
import {
  familyOf,
  isAccessToken,
  isCode,
  isVerifierOf,
  makeAccessToken,
  makeRefreshToken,
} from './credentials.ts'
import { OAuthError } from './oauth-error.ts'
import { readScopes, type Scope } from './scopes.ts'
import { deleteGrant, keepClient, lockGrant, saveTokens, type StoredGrant } from './store.ts'

type Fields = Partial<Record<string, string>>
type Needs = Pick<Services, 'database'>

const accessSeconds = 3_600

/** What a client gets for a code or a refresh token (RFC 6749). */
export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/** The token endpoint. Throws an `OAuthError`. A code or refresh token that comes twice ends its grant. */
export async function issueTokens(
  services: Needs,
  parameters: URLSearchParams,
): Promise<TokenAnswer> {
  const fields = readFields(parameters)
  refuseSecret(fields)
  const { grant_type: type } = fields
  if (type === undefined) throw missing('grant_type')
  if (type === 'authorization_code') return exchangeCode(services, fields)
  if (type === 'refresh_token') return refresh(services, fields)
  throw new OAuthError(
    'unsupported_grant_type',
    'grant_type has to be authorization_code or refresh_token',
  )
}

function exchangeCode({ database }: Needs, fields: Fields): Promise<TokenAnswer> {
  const { code, client_id: clientId, code_verifier: verifier } = fields
  if (code === undefined) throw missing('code')
  if (clientId === undefined) throw missing('client_id')
  if (verifier === undefined) throw missing('code_verifier')
  const unknown = () => invalidGrant('the code is unknown, used or expired')
  if (!isCode(code)) throw unknown()
  return settle(database, async (transaction) => {
    const grant = await lockGrant(transaction, 'code_hash', hashToken(code))
    if (grant === undefined) return unknown()
    if (grant.clientId !== clientId) return unknown()
    if (!grant.isCodeOpen) {
      await endGrant(transaction, grant, 'its code was used again')
      return unknown()
    }
    if (fields['redirect_uri'] !== undefined && fields['redirect_uri'] !== grant.redirectUri) {
      return invalidGrant('redirect_uri is not the one of the authorization request')
    }
    if (!isVerifierOf(verifier, grant.codeChallenge)) {
      return invalidGrant('code_verifier does not belong to the code')
    }
    refuseOtherResource(fields['resource'], grant.resource)
    return saveNew(transaction, grant, grant.scopes, makeToken())
  })
}

function refresh({ database }: Needs, fields: Fields): Promise<TokenAnswer> {
  const { refresh_token: token, client_id: clientId } = fields
  if (token === undefined) throw missing('refresh_token')
  if (clientId === undefined) throw missing('client_id')
  const unknown = () => invalidGrant('the refresh token is unknown, used or expired')
  const family = familyOf(token)
  if (family === undefined) throw unknown()
  return settle(database, async (transaction) => {
    const grant = await lockGrant(transaction, 'refresh_family_hash', hashToken(family))
    if (grant === undefined || grant.clientId !== clientId) return unknown()
    if (grant.refreshHash?.equals(hashToken(token)) !== true) {
      await endGrant(transaction, grant, 'a used refresh token was used again')
      return unknown()
    }
    refuseOtherResource(fields['resource'], grant.resource)
    const { scope } = fields
    const scopes = scope === undefined ? grant.scopes : readScopes(scope)
    if (scopes.length === 0 || scopes.some((one) => !grant.scopes.includes(one))) {
      return new OAuthError('invalid_scope', `scope has to be a part of ${grant.scopes.join(' ')}`)
    }
    return saveNew(transaction, grant, scopes, family)
  })
}

/** Ends the grant of a token (RFC 7009); an unknown token is none. */
export async function revokeToken({ database }: Needs, parameters: URLSearchParams): Promise<void> {
  const fields = readFields(parameters)
  refuseSecret(fields)
  const { token, client_id: clientId } = fields
  if (token === undefined) throw missing('token')
  const family = familyOf(token)
  if (family === undefined && !isAccessToken(token)) return
  await database.transaction().execute(async (transaction) => {
    const grant =
      family === undefined
        ? await lockGrant(transaction, 'access_hash', hashToken(token))
        : await lockGrant(transaction, 'refresh_family_hash', hashToken(family))
    if (grant === undefined || (clientId !== undefined && clientId !== grant.clientId)) return
    await endGrant(transaction, grant, 'the program gave it back')
  })
}

/** Commits also when the work refuses, because a refusal may end a grant. */
async function settle<T>(
  database: Services['database'],
  work: (transaction: Transaction) => Promise<T | OAuthError>,
): Promise<T> {
  const done = await database.transaction().execute(work)
  if (done instanceof OAuthError) throw done
  return done
}

async function saveNew(
  transaction: Transaction,
  grant: StoredGrant,
  scopes: readonly Scope[],
  family: string,
): Promise<TokenAnswer> {
  const access = makeAccessToken()
  const refreshToken = makeRefreshToken(family)
  await saveTokens(transaction, grant, {
    accessHash: hashToken(access),
    accessScopes: scopes,
    accessSeconds,
    familyHash: hashToken(family),
    refreshHash: hashToken(refreshToken),
  })
  // Clients with a document have no row.
  await keepClient(transaction, grant.clientId)
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: accessSeconds,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  }
}

async function endGrant(
  transaction: Transaction,
  { accountId, id, clientId }: StoredGrant,
  why: string,
): Promise<void> {
  await deleteGrant(transaction, { accountId, id })
  const audit = bySystem('OAuth', 'grant.ended')
  const change = { objectId: id, before: { client_id: clientId }, after: { why } }
  await recordAudit(transaction, { accountId, audit }, change)
}

function refuseSecret(fields: Fields): void {
  if (fields['client_secret'] === undefined && fields['client_assertion'] === undefined) return
  throw new OAuthError('invalid_client', 'clients have no secret here, send client_id alone')
}

function invalidGrant(why: string): OAuthError {
  return new OAuthError('invalid_grant', why)
}
