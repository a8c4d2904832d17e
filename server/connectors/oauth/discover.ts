import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client'
import { loadClient } from '../mcp/session.ts'
import { LoginError, toLoginError } from './oauth-error.ts'
import type { OAuthFetch } from './oauth-fetch.ts'

/** The authorization server of an MCP server, as far as a login needs it. */
export interface Authority {
  issuer: string
  /** Undefined for a server of protocol 2025-03-26 without metadata, whose addresses are the default ones. */
  metadata: AuthorizationServerMetadata | undefined
  /** The `resource` that tokens are asked for (RFC 8707). */
  resource: string
  scope: string | undefined
}

/** What a server said when it demanded the login. */
export interface Demand {
  scope?: string | undefined
  resource_metadata_url?: string | undefined
}

/**
 * Finds the authorization server of an MCP server: by the metadata of the protected resource (RFC 9728), or else at the
 * server's own origin; its metadata by RFC 8414 or OpenID Connect Discovery. Throws `LoginError`.
 */
export async function discoverAuthority(
  fetch: OAuthFetch,
  serverUrl: string,
  { scope, resource_metadata_url: metadataUrl }: Demand,
): Promise<Authority> {
  const library = await loadClient()
  try {
    const options = {
      fetchFn: fetch,
      ...(metadataUrl !== undefined && { resourceMetadataUrl: new URL(metadataUrl, serverUrl) }),
    }
    const found = await library.discoverOAuthServerInfo(serverUrl, options)
    const { authorizationServerMetadata, resourceMetadata } = found
    const metadata = authorizationServerMetadata && pick(authorizationServerMetadata)
    if (metadata !== undefined) refuseWithoutPkce(metadata)
    const scopes = scope ?? resourceMetadata?.scopes_supported?.join(' ')
    return {
      issuer: metadata?.issuer ?? found.authorizationServerUrl,
      metadata,
      resource: resourceOf(library, serverUrl, resourceMetadata?.resource),
      scope: withOfflineAccess(scopes, metadata)?.slice(0, maxText),
    }
  } catch (error) {
    throw await toLoginError(error)
  }
}

type Library = Awaited<ReturnType<typeof loadClient>>

function resourceOf(library: Library, serverUrl: string, named: string | undefined): string {
  const own = library.resourceUrlFromServerUrl(serverUrl)
  if (named === undefined) {
    // The address may have a token in its query.
    own.search = ''
    return own.href
  }
  if (library.checkResourceAllowed({ requestedResource: own, configuredResource: named })) {
    return named
  }
  throw new LoginError('the metadata at its address is of another server (resource)')
}

function refuseWithoutPkce({
  code_challenge_methods_supported: methods,
}: AuthorizationServerMetadata) {
  if (methods?.includes('S256') === true) return
  throw new LoginError('its authorization server does not say that it supports PKCE with S256')
}

/** Refresh tokens are asked for where the server gives them for a scope (OpenID Connect). */
function withOfflineAccess(
  scope: string | undefined,
  metadata: AuthorizationServerMetadata | undefined,
): string | undefined {
  const offline = 'offline_access'
  if (metadata?.scopes_supported?.includes(offline) !== true) return scope
  return joinScopes(scope, offline)
}

/** All scopes of several lists, each once; undefined if there are none. */
export function joinScopes(...lists: (string | undefined)[]): string | undefined {
  const all = new Set(lists.flatMap((list) => list?.split(/\s+/).filter(Boolean) ?? []))
  return all.size === 0 ? undefined : [...all].join(' ')
}

const maxText = 2_000
const maxItems = 200

/** The fields of the metadata that a login needs, each bounded, because they are stored. */
function pick(metadata: AuthorizationServerMetadata): AuthorizationServerMetadata {
  const fields = Object.entries(metadata).flatMap(([name, value]): [string, unknown][] => {
    if (!kept.has(name)) return []
    if (Array.isArray(value)) return [[name, value.slice(0, maxItems)]]
    if (typeof value === 'string' && value.length > maxText) {
      throw new LoginError(`the metadata of its authorization server is too long (${name})`)
    }
    return [[name, value]]
  })
  return Object.fromEntries(fields) as unknown as AuthorizationServerMetadata
}

const kept = new Set([
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'response_types_supported',
  'scopes_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
])
