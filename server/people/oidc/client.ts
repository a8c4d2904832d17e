import * as client from 'openid-client'
import { DomainError } from '../../errors.ts'
import type { EgressProxy } from '../../outbound/egress-proxy.ts'
import type { Role } from '../../identity.ts'
import type { SecretBox } from '../../secret-box.ts'
import { Discovery, type Provider } from './discovery.ts'
import { explainFailure, isOutage, isPersonal } from './failure.ts'
import { refuseToken, toClaims, type LoggedOut, type OidcClaims } from './claims.ts'
import { readLogoutToken } from './logout-token.ts'

/**
 * Sign-in through an OpenID Connect provider: authorization code with PKCE, state and nonce; the
 * signature of each ID token is checked. The state is kept in an encrypted cookie of the browser,
 * valid for ten minutes, so that any process can finish a sign-in that another one started.
 */
export interface OidcSettings {
  issuer: URL
  clientId: string
  clientSecret: string | undefined
  /**
   * How the client authenticates at the token endpoint; undefined to use the provider's metadata.
   */
  clientAuth: 'client_secret_basic' | 'client_secret_post' | undefined
  /** Role of users without an invitation; undefined to admit only invited users. */
  defaultRole: Role | undefined
  /** Domains of email addresses that may sign in; empty for all. */
  allowedDomains: string[]
  /** Treats addresses as verified if the provider never sends `email_verified`. */
  assumesVerifiedEmail: boolean
}

interface Flow {
  verifier: string
  state: string
  nonce: string
  returnTo: string
  expiresAt: number
}

/** A confirmed sign-in. */
export interface Confirmed {
  claims: OidcClaims
  returnTo: string
  /** Sent back to the provider when the user signs out. */
  idToken: string | undefined
  /** Id of the session at the provider, if it sends one. */
  sid: string | undefined
}

const place = ['sign-in flow'] as const
export const flowSeconds = 600

export class OidcClient {
  readonly settings: OidcSettings
  readonly #publicUrl: () => string
  readonly #secrets: SecretBox
  readonly #discovery: Discovery

  constructor(
    settings: OidcSettings,
    publicUrl: () => string,
    secrets: SecretBox,
    proxy?: EgressProxy,
    now?: () => number,
  ) {
    this.settings = settings
    this.#publicUrl = publicUrl
    this.#secrets = secrets
    this.#discovery = new Discovery(settings, proxy, now)
  }

  /** The address to redirect the browser to, and the cookie to set. */
  async begin(
    returnTo: string,
    { asksWho = false }: { asksWho?: boolean } = {},
  ): Promise<{ url: string; state: string; cookie: string }> {
    const { configuration } = await this.#discover()
    const flow: Flow = {
      verifier: client.randomPKCECodeVerifier(),
      state: client.randomState(),
      nonce: client.randomNonce(),
      returnTo,
      expiresAt: Date.now() + flowSeconds * 1000,
    }
    const parameters = {
      redirect_uri: this.#redirectUri.href,
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
      ...(asksWho ? { prompt: promptFor(configuration.serverMetadata()) } : {}),
    }
    const url = await authorizationUrl(configuration, parameters)
    const sealed = this.#secrets.seal(Buffer.from(JSON.stringify(flow)), place)
    return { url: url.href, state: flow.state, cookie: sealed.toString('base64url') }
  }

  /** Finishes a sign-in with the code in `search`, the query string of the callback. */
  async finish(search: string, cookie: string | undefined): Promise<Confirmed> {
    const flow = this.#open(cookie)
    const { configuration } = await this.#discover()
    const url = this.#redirectUri
    url.search = search
    const tokens = await client
      .authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      })
      .catch((error: unknown) => this.#refuse(error))
    const token = tokens.claims() as client.IDToken
    const { settings } = this
    const wrong = refuseToken(token, settings.clientId, Date.now())
    if (wrong !== undefined) throw unconfirmed(new Error(wrong))
    const confirmed = {
      returnTo: flow.returnTo,
      idToken: tokens.id_token,
      sid: typeof token['sid'] === 'string' ? token['sid'] : undefined,
    }
    const alone = toClaims(settings, token)
    if (alone.isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) {
      return { ...confirmed, claims: alone.claims }
    }
    // A provider that issues an access token may return the email address only there (OpenID
    // Connect Core, 5.4).
    const told = await client
      .fetchUserInfo(configuration, tokens.access_token, token.sub)
      .catch((error: unknown) => {
        if (alone.claims.email === undefined) return this.#refuse(error)
      })
    return { ...confirmed, claims: toClaims(settings, token, told).claims }
  }

  /**
   * Where a browser ends its session at the provider; undefined if the provider has no such
   * address.
   */
  async endSessionUrl(idToken: string): Promise<string | undefined> {
    const { configuration } = await this.#discover()
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
    return client.buildEndSessionUrl(configuration, {
      ...(idToken === '' ? {} : { id_token_hint: idToken }),
      post_logout_redirect_uri: this.#redirectUri.href,
    }).href
  }

  /** What to sign out by a logout token. */
  async readLogout(token: string): Promise<LoggedOut> {
    const { configuration, keys } = await this.#discover()
    if (keys === undefined) throw unavailable(new Error('its metadata names no keys'))
    const { issuer } = configuration.serverMetadata()
    return readLogoutToken(token, { issuer, clientId: this.settings.clientId, keys })
  }

  get #redirectUri(): URL {
    return new URL('/v1/session/oidc/callback', this.#publicUrl())
  }

  /** The page that a failed sign-in should have led to. */
  returnToOf(cookie: string | undefined): string {
    try {
      return this.#open(cookie).returnTo
    } catch {
      return '/'
    }
  }

  #open(cookie: string | undefined): Flow {
    try {
      const flow = JSON.parse(
        this.#secrets.open(Buffer.from(cookie ?? '', 'base64url'), place).toString(),
      ) as Flow
      if (flow.expiresAt > Date.now()) return flow
    } catch {
      // The error is thrown below.
    }
    throw new DomainError(
      'sign_in_failed',
      'Cannot sign in: this sign-in was not started in this browser in the last ten minutes, start again',
    )
  }

  #discover(): Promise<Provider> {
    return this.#discovery.read().catch(unavailable)
  }

  /**
   * Reads the provider's metadata again for the next sign-in, because it may have changed, for
   * example its algorithms.
   */
  #refuse(error: unknown): never {
    if (!isPersonal(error)) this.#discovery.forget()
    if (isOutage(error)) unavailable(error)
    throw unconfirmed(error)
  }
}

/** Sends the request to the provider first if it requires that (PAR). */
async function authorizationUrl(
  configuration: client.Configuration,
  parameters: Record<string, string>,
): Promise<URL> {
  const { require_pushed_authorization_requests: isPushed } = configuration.serverMetadata()
  if (isPushed !== true) return client.buildAuthorizationUrl(configuration, parameters)
  return client.buildAuthorizationUrlWithPAR(configuration, parameters).catch(unavailable)
}

/** Lets the user choose another account, or at least sign in again. */
function promptFor({ prompt_values_supported: supported }: client.ServerMetadata): string {
  const isChosen = !Array.isArray(supported) || supported.includes('select_account')
  return isChosen ? 'select_account' : 'login'
}

function unconfirmed(cause: unknown): DomainError {
  const why = explainFailure(cause)
  return new DomainError(
    'sign_in_failed',
    `Cannot sign in: the OpenID Connect provider did not confirm it: ${why}`,
    { cause },
  )
}

function unavailable(cause: unknown): never {
  throw new DomainError(
    'identity_provider_unavailable',
    `Cannot sign in: the OpenID Connect provider of MUSTER_OIDC_ISSUER cannot be used: ${explainFailure(cause)}`,
    { cause, retryAfterSeconds: 5 },
  )
}

/** A path of this service, or `/`: never another host, in any spelling. */
export function safeReturnTo(text: string | undefined): string {
  if (text === undefined || text.length > 2_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text))
    return '/'
  const url = URL.parse(text, 'http://muster.invalid')
  return url?.origin === 'http://muster.invalid' ? url.pathname + url.search + url.hash : '/'
}
