import * as client from 'openid-client'
import { createRemoteJWKSet, customFetch as jwksFetch } from 'jose'
import { Agent, fetch, type RequestInit } from 'undici'
import { connectForOperator, type EgressProxy } from '../../outbound/egress-proxy.ts'
import { isSecureUrl } from '../../outbound/address.ts'
import type { OidcSettings } from './client.ts'

/**
 * The metadata of the OpenID Connect provider, read when it is needed and again every hour or after a failed sign-in:
 * providers change their algorithms, keys and endpoints. All requests to the provider go through the `fetch` made here.
 */
export interface Provider {
  configuration: client.Configuration
  /** The keys that the provider signs with; undefined where its metadata names none. */
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

  /** Rejects with what went wrong, see `explainFailure`. A failure is not cached. */
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

  /** Makes the next `read` ask the provider. */
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

/** How the client proves itself at the token endpoint; basic is the default of the standard. */
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

/** The configuration has judged the address of the issuer, the metadata names others. */
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
