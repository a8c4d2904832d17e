import { countAttempts, networkOf } from '../db/attempts.ts'
import type { Database } from '../db/client.ts'
import { newId } from '../ids.ts'
import { isStorable } from '../safe-text.ts'
import { isDocumentAddress, type ClientDocuments } from './client-documents.ts'
import { readClientMetadata } from './client-metadata.ts'
import { OAuthError } from './oauth-error.ts'
import { isRedirectUriOf, shownHost } from './redirect-uri.ts'
import { findClient, insertClient } from './store.ts'

/** A program that asks for access. None has a secret. */
export interface Client {
  id: string
  /** What it calls itself; its host if it has no name. */
  name: string
  /** Host of its document or, for a client that registered itself, of its redirect address. */
  host: string
  /** A registered client's name is checked by no one; a document proves the host that it is on. */
  kind: 'document' | 'registered'
  redirectUri: string
}

/** The client with one of its redirect addresses. Throws an `OAuthError` for an address that is not its own. */
export async function readClient(
  database: Database,
  documents: ClientDocuments,
  clientId: string,
  redirectUri: string,
): Promise<Client> {
  const kind = isDocumentAddress(clientId) ? 'document' : 'registered'
  const found =
    kind === 'document' ? await documents.read(clientId) : await findRegistered(database, clientId)
  if (found === undefined) {
    throw new OAuthError(
      'invalid_client',
      'the client is unknown: it has to register, and one that is not used within a day has to register again',
    )
  }
  if (!isRedirectUriOf(found.redirectUris, redirectUri)) {
    throw new OAuthError(
      'invalid_request',
      'the redirect address is not one of those that the client registered',
    )
  }
  const host = shownHost(kind === 'document' ? clientId : redirectUri)
  return { id: clientId, name: found.name ?? host, host, kind, redirectUri }
}

async function findRegistered(database: Database, clientId: string) {
  if (!/^clt_[0-9a-z]{26}$/.test(clientId)) return undefined
  return findClient(database, clientId)
}

const registrationsPerHour = 20

/** Dynamic registration (RFC 7591), limited by network address. Returns what the client is told. */
export async function registerClient(
  database: Database,
  address: string,
  body: unknown,
): Promise<object> {
  const { name, redirectUris } = readClientMetadata(body)
  if (name !== undefined && !isStorable(name)) {
    throw new OAuthError('invalid_client_metadata', 'client_name has characters that are no text')
  }
  const subject = `oauth registration ${networkOf(address)}`
  const [count] = await countAttempts(database, [subject], 3_600)
  if (count !== undefined && count.attempts > registrationsPerHour) {
    throw new OAuthError(
      'too_many_requests',
      `more than ${registrationsPerHour} registrations in an hour from this network address`,
      Math.max(1, Math.ceil(count.leftSeconds)),
    )
  }
  const id = newId('clt')
  await insertClient(database, { id, name: name ?? '', redirectUris })
  return {
    client_id: id,
    client_id_issued_at: Math.floor(Date.now() / 1_000),
    ...(name !== undefined && { client_name: name }),
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}
