import * as client from 'openid-client'
import { Agent, fetch, type RequestInit } from 'undici'
import { DomainError } from '../errors.ts'
import { connectForOperator, type EgressProxy } from '../outbound/egress-proxy.ts'
import type { Role } from '../roles.ts'
import type { SecretBox } from '../secret-box.ts'
import { normalizeEmail } from './email.ts'

/**
 * Sign-in through an OpenID Connect provider: authorization code with PKCE, state and nonce. What must
 * come back with the browser travels in a sealed cookie, so that any process can finish what another
 * began; it is good for ten minutes.
 */
export interface OidcSettings {
  issuer: URL
  clientId: string
  clientSecret: string | undefined
  /** Role of users whom nobody invited; undefined admits invited ones alone. */
  defaultRole: Role | undefined
  /** Domains of e-mail addresses that may sign in; empty admits all. */
  allowedDomains: string[]
}

/** What the provider says of a user. */
export interface OidcClaims {
  issuer: string
  subject: string
  /** As addresses are compared; undefined unless the provider has verified it. */
  email: string | undefined
  name: string | undefined
}

interface Flow {
  verifier: string
  state: string
  nonce: string
  returnTo: string
  expiresAt: number
}

const place = ['sign-in flow'] as const
export const flowSeconds = 600
const timeoutSeconds = 10

export class OidcClient {
  readonly settings: OidcSettings
  readonly #publicUrl: () => string
  readonly #secrets: SecretBox
  readonly #proxy: EgressProxy | undefined
  #configuration: Promise<client.Configuration> | undefined

  constructor(
    settings: OidcSettings,
    publicUrl: () => string,
    secrets: SecretBox,
    proxy?: EgressProxy,
  ) {
    this.settings = settings
    this.#publicUrl = publicUrl
    this.#secrets = secrets
    this.#proxy = proxy
  }

  /** Where to send the browser, and the cookie that it brings back. */
  async begin(returnTo: string): Promise<{ url: string; cookie: string }> {
    const configuration = await this.#discover()
    const flow: Flow = {
      verifier: client.randomPKCECodeVerifier(),
      state: client.randomState(),
      nonce: client.randomNonce(),
      returnTo,
      expiresAt: Date.now() + flowSeconds * 1000,
    }
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri.href,
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
    })
    const sealed = this.#secrets.seal(Buffer.from(JSON.stringify(flow)), place)
    return { url: url.href, cookie: sealed.toString('base64url') }
  }

  /** Redeems the code that the browser brought with `search`, the query of the callback. */
  async finish(
    search: string,
    cookie: string | undefined,
  ): Promise<{ claims: OidcClaims; returnTo: string }> {
    const flow = this.#open(cookie)
    const configuration = await this.#discover()
    const url = this.#redirectUri
    url.search = search
    const tokens = await client
      .authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      })
      .catch(refuse)
    const claims = tokens.claims() as client.IDToken
    const hasMore = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint
    // Where it gives an access token, a provider may tell the address there alone (OpenID Connect Core, 5.4).
    const told = hasMore
      ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch(refuse)
      : {}
    return { claims: toClaims({ ...told, ...claims }), returnTo: flow.returnTo }
  }

  get #redirectUri(): URL {
    return new URL('/v1/session/oidc/callback', this.#publicUrl())
  }

  #open(cookie: string | undefined): Flow {
    try {
      const flow = JSON.parse(
        this.#secrets.open(Buffer.from(cookie ?? '', 'base64url'), place).toString(),
      ) as Flow
      if (flow.expiresAt > Date.now()) return flow
    } catch {
      // Said below.
    }
    throw new DomainError(
      'sign_in_failed',
      'Cannot sign in: this sign-in was not begun in this browser in the last ten minutes, begin again',
    )
  }

  /** Asks the provider once; a failure is not kept. */
  #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings
    this.#configuration ??= client
      .discovery(issuer, clientId, clientSecret, undefined, {
        timeout: timeoutSeconds,
        ...(this.#proxy === undefined ? {} : { [client.customFetch]: fetchThrough(this.#proxy) }),
        // A provider on loopback, for development, has no certificate.
        ...(issuer.protocol === 'http:' ? { execute: [client.allowInsecureRequests] } : {}),
      })
      .catch((error: unknown) => {
        this.#configuration = undefined
        throw new DomainError(
          'identity_provider_unavailable',
          'Cannot sign in: the OpenID Connect provider of MUSTER_OIDC_ISSUER cannot be reached',
          { cause: error, retryAfterSeconds: 5 },
        )
      })
    return this.#configuration
  }
}

function fetchThrough(proxy: EgressProxy): client.CustomFetch {
  const dispatcher = new Agent({ connect: connectForOperator(proxy, timeoutSeconds * 1000) })
  return (url, options) => fetch(url, { ...options, dispatcher } as RequestInit)
}

function toClaims({ iss, sub, email, email_verified: verified, name }: client.IDToken): OidcClaims {
  return {
    issuer: iss,
    subject: sub,
    email: typeof email === 'string' && verified === true ? normalizeEmail(email) : undefined,
    name: typeof name === 'string' ? name : undefined,
  }
}

function refuse(error: unknown): never {
  const why = error instanceof client.AuthorizationResponseError ? ` (${error.error})` : ''
  throw new DomainError(
    'sign_in_failed',
    `Cannot sign in: the OpenID Connect provider did not confirm it${why}, begin again`,
    { cause: error },
  )
}

/** A path of this service, or `/`: never another host, however it is written. */
export function safeReturnTo(text: string | undefined): string {
  if (text === undefined || text.length > 2_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text))
    return '/'
  const url = URL.parse(text, 'http://muster.invalid')
  return url?.origin === 'http://muster.invalid' ? url.pathname + url.search + url.hash : '/'
}
