import * as client from 'openid-client'
import { createRemoteJWKSet, customFetch as jwksFetch } from 'jose'
import { Agent, fetch, type RequestInit } from 'undici'
import { connectForOperator, type EgressProxy } from '../../outbound/egress-proxy.ts'
import { isSecureUrl } from '../../outbound/address.ts'
import type { OidcSettings } from './client.ts'
import { explainFailure } from './failure.ts'

/**
 * The metadata of the OpenID Connect provider, read on demand, and again after an hour or a failed
 * sign-in, because providers change their algorithms, keys and endpoints. All requests to the
 * provider use the `fetch` of this file.
 */
export interface Provider {
  configuration: client.Configuration
  /** The provider's signing keys; undefined if its metadata has none. */
  keys: ReturnType<typeof createRemoteJWKSet> | undefined
}

const timeoutSeconds = 10
const freshForMs = 3_600_000
const maxAnswerBytes = 1024 * 1024

export class Discovery {
  readonly #settings: OidcSettings
  readonly #fetch: client.CustomFetch
  readonly #now: () => number
  #provider: { found: Promise<Provider>; readAt: number } | undefined

  constructor(settings: OidcSettings, proxy: EgressProxy | undefined, now = Date.now) {
    this.#settings = settings
    this.#fetch = fetchFrom(settings.issuer, proxy)
    this.#now = now
  }

  /** Throws an error for `explainFailure`. Errors are not cached. */
  read(): Promise<Provider> {
    const known = this.#provider
    if (known !== undefined && this.#now() - known.readAt < freshForMs) return known.found
    const found = this.#discover()
    const provider = { found, readAt: this.#now() }
    this.#provider = provider
    found.catch(() => {
      if (this.#provider === provider) this.#provider = undefined
    })
    return found
  }

  /** Makes the next `read` ask the provider again. */
  forget(): void {
    this.#provider = undefined
  }

  async #discover(): Promise<Provider> {
    const { issuer, clientId } = this.#settings
    const configuration = await client.discovery(
      issuer,
      clientId,
      undefined,
      (...request) => clientAuth(this.#settings, request[0])(...request),
      {
        timeout: timeoutSeconds,
        [client.customFetch]: this.#fetch,
        execute: [
          // Checks the signature of each ID token.
          client.enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
        ],
      },
    )
    const { jwks_uri: jwksUri } = configuration.serverMetadata()
    const options = { timeoutDuration: timeoutSeconds * 1000, [jwksFetch]: this.#fetch as never }
    const keys = jwksUri === undefined ? undefined : createRemoteJWKSet(new URL(jwksUri), options)
    return { configuration, keys }
  }
}

/** How the client authenticates at the token endpoint; the standard's default is basic. */
function clientAuth(
  { clientSecret, clientAuth: chosen }: OidcSettings,
  { token_endpoint_auth_methods_supported: supported }: client.ServerMetadata,
): client.ClientAuth {
  if (clientSecret === undefined) return client.None()
  const takesPostAlone =
    supported?.includes('client_secret_post') === true && !supported.includes('client_secret_basic')
  const method = chosen ?? (takesPostAlone ? 'client_secret_post' : 'client_secret_basic')
  return method === 'client_secret_post'
    ? client.ClientSecretPost(clientSecret)
    : client.ClientSecretBasic(clientSecret)
}

/**
 * Checks the addresses in the metadata; the issuer's address was checked with the configuration.
 */
function fetchFrom({ origin }: URL, proxy: EgressProxy | undefined): client.CustomFetch {
  const connect = connectForOperator(proxy, timeoutSeconds * 1000)
  const dispatcher = new Agent({ connect, maxResponseSize: maxAnswerBytes })
  return async (url, options) => {
    const target = new URL(url)
    if (target.origin !== origin && !isSecureUrl(target)) {
      throw new TypeError(`its metadata names ${url}, which is neither https nor on this machine`)
    }
    return fetch(url, { ...options, dispatcher } as RequestInit)
  }
}

/** Reads the metadata and keys of the provider, for `muster doctor`; `why` says what is wrong. */
export async function tryProvider(
  settings: OidcSettings,
  proxy?: EgressProxy,
): Promise<{ issuer: string; why?: string }> {
  const issuer = settings.issuer.href
  try {
    const { keys } = await new Discovery(settings, proxy).read()
    if (keys === undefined) return { issuer, why: 'its metadata names no keys (jwks_uri)' }
    await keys.reload()
    return { issuer }
  } catch (error) {
    return { issuer, why: explainFailure(error) }
  }
}
