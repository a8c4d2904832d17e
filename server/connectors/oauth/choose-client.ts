import type { OAuthClientMetadata } from '@modelcontextprotocol/client'
import { loadClient } from '../mcp/session.ts'
import type { Authority } from './discover.ts'
import { LoginError, toLoginError } from './oauth-error.ts'
import type { OAuthFetch } from './oauth-fetch.ts'

/** What Muster is to an authorization server. */
export interface OAuthClient {
  client_id: string
  client_secret?: string
  token_endpoint_auth_method?: string
  /** The issuer that knows it: no other one may see it. */
  issuer: string
  redirect_uri: string
  /** Given by an admin, the address of Muster's metadata document, or registered by Muster. */
  source: 'given' | 'document' | 'registered'
  /** Seconds since 1970 at which the secret ends; 0 for never. */
  client_secret_expires_at?: number
}

interface Choice {
  /** The client that an admin registered by hand. */
  given: { id: string; secret?: string | undefined } | undefined
  /** The client of the last login. */
  known: OAuthClient | undefined
  redirectUri: string
  /** Address of Muster's client metadata document. */
  documentUrl: string
}

/**
 * Chooses the client for a login: the one that an admin gave, Muster's metadata document, or one that is registered now.
 * Throws `LoginError`.
 */
export async function chooseClient(
  fetch: OAuthFetch,
  authority: Authority,
  { given, known, redirectUri, documentUrl }: Choice,
): Promise<OAuthClient> {
  const { issuer, metadata } = authority
  const common = { issuer, redirect_uri: redirectUri }
  if (given !== undefined) {
    const { id: client_id, secret } = given
    return { ...common, client_id, ...(secret && { client_secret: secret }), source: 'given' }
  }
  const takesDocument = metadata?.client_id_metadata_document_supported === true
  if (takesDocument && documentUrl.startsWith('https:')) {
    return {
      ...common,
      client_id: documentUrl,
      token_endpoint_auth_method: 'none',
      source: 'document',
    }
  }
  if (isStillKnown(known, common)) return known
  if (metadata !== undefined && metadata.registration_endpoint === undefined) {
    throw new LoginError(
      `its authorization server registers no clients by itself: ${byHand(redirectUri)}`,
    )
  }
  return { ...(await register(fetch, authority, redirectUri)), ...common, source: 'registered' }
}

function byHand(redirectUri: string): string {
  return (
    `register Muster there with the redirect address ${redirectUri}, and connect the server with ` +
    'client: {"id", "secret"}'
  )
}

function isStillKnown(
  known: OAuthClient | undefined,
  { issuer, redirect_uri: redirectUri }: Pick<OAuthClient, 'issuer' | 'redirect_uri'>,
): known is OAuthClient {
  if (known?.source !== 'registered' || known.issuer !== issuer) return false
  const { client_secret_expires_at: endsAt = 0 } = known
  return known.redirect_uri === redirectUri && (endsAt === 0 || endsAt > Date.now() / 1_000 + 60)
}

async function register(
  fetch: OAuthFetch,
  { issuer, metadata, scope }: Authority,
  redirectUri: string,
): Promise<Omit<OAuthClient, 'issuer' | 'redirect_uri' | 'source'>> {
  const { registerClient, RegistrationRejectedError } = await loadClient()
  const methods = metadata?.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const method = ['client_secret_basic', 'client_secret_post', 'none'].find((one) =>
    methods.includes(one),
  )
  const asking = (scopes: { scope?: string }) =>
    registerClient(issuer, {
      fetchFn: fetch,
      ...(metadata && { metadata }),
      ...scopes,
      clientMetadata: {
        ...clientDocument(redirectUri),
        ...(method !== undefined && { token_endpoint_auth_method: method }),
      },
    })
  try {
    const registered = await asking(scope === undefined ? {} : { scope }).catch(
      (error: unknown) => {
        // Some servers register a client for their own scopes alone, and grant those of a resource to any.
        if (scope === undefined || !(error instanceof RegistrationRejectedError)) throw error
        return asking({})
      },
    )
    const {
      client_id,
      client_secret,
      token_endpoint_auth_method: used,
      client_secret_expires_at: endsAt,
    } = registered
    if ([client_id, client_secret ?? ''].some(({ length }) => length > 4_000)) {
      throw new LoginError('its authorization server gave a client id or secret that is too long')
    }
    return {
      client_id,
      ...(client_secret !== undefined && { client_secret }),
      ...(used !== undefined && { token_endpoint_auth_method: used }),
      ...(endsAt !== undefined && { client_secret_expires_at: endsAt }),
    }
  } catch (error) {
    const known = await toLoginError(error)
    if (!(error instanceof RegistrationRejectedError)) throw known
    throw new LoginError(`${known.message}: ${byHand(redirectUri)}`, { cause: error })
  }
}

/** How Muster describes itself to authorization servers. */
export function clientDocument(redirectUri: string): OAuthClientMetadata {
  return {
    client_name: 'Muster',
    client_uri: new URL('/', redirectUri).href,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
  }
}
