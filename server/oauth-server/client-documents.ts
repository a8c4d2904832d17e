import { LRUCache } from 'lru-cache'
import type { Limits } from '../limits.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { version } from '../version.ts'
import { readClientMetadata, type ClientMetadata } from './client-metadata.ts'
import { OAuthError } from './oauth-error.ts'

/**
 * Client metadata documents: a client whose id is an https address describes itself in the document there. Read over
 * the guarded transport, bounded in bytes and time, and cached; a failure is cached as well, for a shorter time.
 */
const maxBytes = 16 * 1024
const timeoutMs = 5_000
const lifetimeMs = 600_000
const failureLifetimeMs = 30_000
const maxDocuments = 500
const maxIdLength = 500

type Read = ClientMetadata | OAuthError

export class ClientDocuments {
  readonly #outbound: Pick<Outbound, 'request'>
  readonly #slots: Limits['clientDocuments']
  readonly #known = new LRUCache<string, Promise<Read>>({ max: maxDocuments })

  constructor(outbound: Pick<Outbound, 'request'>, slots: Limits['clientDocuments']) {
    this.#outbound = outbound
    this.#slots = slots
  }

  /** The client with this address as its id. Throws an `OAuthError`. */
  async read(clientId: string): Promise<ClientMetadata> {
    let read = this.#known.get(clientId)
    if (read === undefined) {
      read = this.#fetch(clientId)
      this.#known.set(clientId, read, { ttl: lifetimeMs })
      const found = await read.catch((error: unknown) => {
        this.#known.delete(clientId)
        throw error
      })
      if (found instanceof OAuthError) {
        this.#known.set(clientId, read, { ttl: failureLifetimeMs })
      }
    }
    const found = await read
    if (found instanceof OAuthError) throw found
    return found
  }

  async #fetch(clientId: string): Promise<Read> {
    const { host } = checkDocumentAddress(clientId)
    using _slot = await this.#slots.take(host, 'read client')
    try {
      const { status, body, truncated } = await this.#outbound.request(clientId, {
        method: 'GET',
        headers: { accept: 'application/json', 'user-agent': `muster/${version}` },
        timeoutMs,
        maxResponseBytes: maxBytes,
      })
      if (status !== 200) throw invalid(`${host} answered with status ${status}`)
      if (truncated) throw invalid(`${host} answered with more than ${maxBytes} bytes`)
      return toMetadata(clientId, body)
    } catch (error) {
      if (error instanceof OAuthError) return error
      if (error instanceof OutboundError) return invalid(`${host} cannot be read: ${error.message}`)
      throw error
    }
  }
}

/** Whether a client id is the address of a document; other clients register. */
export function isDocumentAddress(clientId: string): boolean {
  return /^https:\/\//i.test(clientId)
}

function checkDocumentAddress(clientId: string): URL {
  const url = clientId.length > maxIdLength ? null : URL.parse(clientId)
  const isPlain =
    url?.href === clientId &&
    url.pathname !== '/' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === ''
  if (url !== null && isPlain) return url
  throw invalid(
    `expected an https address with a path, without fragment and user name, in up to ${maxIdLength} characters`,
  )
}

function toMetadata(clientId: string, body: Buffer): ClientMetadata {
  const document = parse(body)
  const fields = (document ?? {}) as Record<string, unknown>
  if (fields['client_id'] !== clientId) throw invalid('its client_id is not its own address')
  const { token_endpoint_auth_method: method = 'none' } = fields
  if (method !== 'none') {
    throw invalid('its token_endpoint_auth_method has to be none, clients have no secret here')
  }
  return readClientMetadata(document)
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw invalid('it is not JSON')
  }
}

function invalid(why: string): OAuthError {
  return new OAuthError('invalid_client', `the metadata document of the client is refused: ${why}`)
}
