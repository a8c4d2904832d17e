import { loadClient } from '../mcp/session.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { OAuthClient } from './choose-client.ts'
import type { Authority } from './discover.ts'
import { LoginError, toLoginError, wordsOf } from './oauth-error.ts'
import { checkAddress, type OAuthFetch } from './oauth-fetch.ts'

/**
 * The steps of a login by OAuth 2.1 with PKCE (S256), without a database: the address for the browser, the exchange of
 * its code, and the refresh of a token. All throw `LoginError`.
 */
export interface Tokens {
  access_token: string
  refresh_token?: string | undefined
  /** Lifetime of the access token in seconds; undefined if the server does not say. */
  expires_in?: number | undefined
  scope?: string | undefined
}

export interface Party {
  authority: Authority
  client: OAuthClient
}

export async function beginLogin(
  outbound: Pick<Outbound, 'check'>,
  { authority: { issuer, metadata, resource, scope }, client }: Party,
  state: (verifier: string) => string,
): Promise<string> {
  const { startAuthorization } = await loadClient()
  try {
    const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
      clientInformation: client,
      redirectUrl: client.redirect_uri,
      ...(metadata && { metadata }),
      ...(scope !== undefined && { scope }),
      resource,
    })
    authorizationUrl.searchParams.set('state', state(codeVerifier))
    const page = new URL(authorizationUrl.pathname, authorizationUrl)
    await checkAddress(outbound, page.href)
    return authorizationUrl.href
  } catch (error) {
    throw await toLoginError(error)
  }
}

export async function finishLogin(
  fetch: OAuthFetch,
  { authority: { issuer, metadata, resource }, client }: Party,
  callback: URLSearchParams,
  codeVerifier: string,
): Promise<Tokens> {
  const library = await loadClient()
  const iss = callback.get('iss') ?? undefined
  try {
    library.validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
    })
    const error = callback.get('error')
    if (error !== null) {
      const why = callback.get('error_description') ?? ''
      throw new LoginError(
        `its authorization server answered ${wordsOf(error)} ${wordsOf(why)}`.trim(),
      )
    }
    const tokens = await library.exchangeAuthorization(issuer, {
      clientInformation: client,
      authorizationCode: callback.get('code') ?? '',
      codeVerifier,
      redirectUri: client.redirect_uri,
      fetchFn: fetch,
      resource,
      ...(metadata && { metadata }),
      ...(iss !== undefined && { iss }),
    })
    return checkTokens(tokens)
  } catch (error) {
    throw await toLoginError(error)
  }
}

export async function refreshTokens(
  fetch: OAuthFetch,
  { authority: { issuer, metadata, resource }, client }: Party,
  refreshToken: string,
): Promise<Tokens> {
  const { refreshAuthorization } = await loadClient()
  try {
    const tokens = await refreshAuthorization(issuer, {
      clientInformation: client,
      refreshToken,
      fetchFn: fetch,
      resource,
      ...(metadata && { metadata }),
    })
    return checkTokens(tokens)
  } catch (error) {
    throw await toLoginError(error)
  }
}

const maxToken = 16_000

function checkTokens({ token_type: type, ...tokens }: Tokens & { token_type?: string }): Tokens {
  if (type !== undefined && type.toLowerCase() !== 'bearer') {
    throw new LoginError(
      `its authorization server gave a token of the type ${wordsOf(type)}, expected Bearer`,
    )
  }
  const { access_token, refresh_token, expires_in, scope } = tokens
  for (const token of [access_token, refresh_token ?? '-']) {
    if (!/^[\x21-\x7e]+$/.test(token) || token.length > maxToken) {
      throw new LoginError('its authorization server gave a token that no header can carry')
    }
  }
  return { access_token, refresh_token, expires_in, scope: scope?.slice(0, 2_000) }
}
