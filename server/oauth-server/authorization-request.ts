import type { Services } from '../context.ts'
import { cannot } from '../errors.ts'
import type { SecretBox } from '../secret-box.ts'
import type { ClientDocuments } from './client-documents.ts'
import { readClient, type Client } from './clients.ts'
import { mcpResource } from './metadata.ts'
import { OAuthError } from './oauth-error.ts'
import { defaultScopes, readScopes, type Scope } from './scopes.ts'

/** A checked request for access. It travels encrypted in the address of the consent page. */
export interface AuthorizationRequest {
  client: Client
  challenge: string
  scopes: Scope[]
  resource: string
  state: string | undefined
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** Time for a person to sign in and to decide. */
const lifetimeMs = 30 * 60_000
const maxStateLength = 2_000
const place = ['oauth authorization request'] as const

/** Checks what a client's link asks for. Throws an `OAuthError`, which is shown to the person. */
export async function readAuthorizationRequest(
  { database, publicUrl }: Pick<Services, 'database' | 'publicUrl'>,
  documents: ClientDocuments,
  query: URLSearchParams,
): Promise<AuthorizationRequest> {
  const fields = readFields(query)
  const { client_id: clientId, redirect_uri: redirectUri } = fields
  if (clientId === undefined) throw missing('client_id')
  if (redirectUri === undefined) throw missing('redirect_uri')
  const client = await readClient(database, documents, clientId, redirectUri)
  if (fields['response_type'] !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type has to be code')
  }
  if ((fields['response_mode'] ?? 'query') !== 'query') {
    throw new OAuthError('invalid_request', 'response_mode has to be query')
  }
  const { code_challenge: challenge, code_challenge_method: method } = fields
  if (challenge === undefined || method !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
    throw new OAuthError(
      'invalid_request',
      'PKCE is required: code_challenge has to be a SHA-256 in base64url, with code_challenge_method S256',
    )
  }
  const { state } = fields
  if (state !== undefined && state.length > maxStateLength) {
    throw new OAuthError('invalid_request', `state has more than ${maxStateLength} characters`)
  }
  const resource = mcpResource(publicUrl)
  refuseOtherResource(fields['resource'], resource)
  const { scope } = fields
  const scopes = scope === undefined ? [...defaultScopes] : readScopes(scope)
  if (scopes.length === 0) {
    throw new OAuthError('invalid_scope', 'scope has none of run, read and answer')
  }
  return { client, challenge, scopes, resource, state, expiresAt: Date.now() + lifetimeMs }
}

/** Each parameter, of which a request may have one (RFC 6749); empty ones count as absent. */
export function readFields(parameters: URLSearchParams): Partial<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const [name, value] of parameters) {
    if (Object.hasOwn(fields, name)) {
      throw new OAuthError('invalid_request', `${name.slice(0, 50)} is there more than once`)
    }
    if (value !== '') fields[name] = value
  }
  return fields
}

/** A client may name the resource (RFC 8707); there is one. */
export function refuseOtherResource(asked: string | undefined, resource: string): void {
  if (asked === undefined || asked === resource) return
  throw new OAuthError('invalid_target', `resource has to be ${resource}`)
}

export function missing(name: string): OAuthError {
  return new OAuthError('invalid_request', `${name} is missing`)
}

export function sealRequest(secrets: SecretBox, request: AuthorizationRequest): string {
  return secrets.seal(Buffer.from(JSON.stringify(request)), place).toString('base64url')
}

export function openRequest(
  secrets: SecretBox,
  sealed: string,
  action: string,
): AuthorizationRequest {
  try {
    const plain = secrets.open(Buffer.from(sealed, 'base64url'), place).toString()
    const request = JSON.parse(plain) as AuthorizationRequest
    if (request.expiresAt > Date.now()) return request
  } catch {
    // The error is thrown below.
  }
  const why = 'the request is unknown or older than 30 minutes, start again in the program'
  throw cannot({ action }, 'invalid_value', why, { param: 'request' })
}

/** The client's redirect address with an answer, and with who answers (RFC 9207). */
export function answerTo(
  { client, state }: Pick<AuthorizationRequest, 'client' | 'state'>,
  issuer: string,
  answer: Record<string, string>,
): string {
  const url = new URL(client.redirectUri)
  const fields = { ...answer, ...(state !== undefined && { state }), iss: issuer }
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  return url.href
}
