import * as client from 'openid-client'

/** Why the provider could not be used, for an operator. */
export function explainFailure(error: unknown): string {
  const causes = causesOf(error)
  for (const cause of causes) {
    const why = explain(cause)
    if (why !== undefined) return why
  }
  return [...new Set(causes.map(({ message }) => message))].join(': ') || String(error)
}

/** Whether a user or a code was rejected: reading the metadata again would not help. */
export function isPersonal(error: unknown): boolean {
  return (
    error instanceof client.AuthorizationResponseError ||
    (error instanceof client.ResponseBodyError && error.error === 'invalid_grant')
  )
}

/** Whether the provider was unreachable or failed itself, so that a retry may succeed. */
export function isOutage(error: unknown): boolean {
  return causesOf(error).some(
    (one) =>
      (one instanceof TypeError && one.message === 'fetch failed') ||
      ('code' in one && one.code === 'OAUTH_TIMEOUT') ||
      (isAnswer(one.cause) && one.cause.status >= 500),
  )
}

function explain(error: Error & { code?: unknown }): string | undefined {
  const { code, cause } = error
  if (error instanceof client.ResponseBodyError) {
    const { error: word, error_description: description } = error
    const hint = ['invalid_client', 'unauthorized_client'].includes(word)
      ? '; are MUSTER_OIDC_CLIENT_ID and MUSTER_OIDC_CLIENT_SECRET right, and does the client take the method of MUSTER_OIDC_CLIENT_AUTH?'
      : ''
    return `it answered ${error.status} ${cut(word)}${description === undefined ? '' : ` (${cut(description)})`}${hint}`
  }
  if (error instanceof client.AuthorizationResponseError) {
    const { error: word, error_description: description } = error
    return `it answered ${cut(word)}${description === undefined ? '' : ` (${cut(description)})`}`
  }
  if (error instanceof client.WWWAuthenticateChallengeError) {
    return `it answered ${error.status} at ${pathOf(error.response)}`
  }
  if (isAnswer(cause)) {
    const isDocument = pathOf(cause).includes('/.well-known/')
    const hint =
      isDocument && cause.status === 404 ? ', is the path of MUSTER_OIDC_ISSUER right?' : ''
    const type = cause.headers.get('content-type') ?? 'no type'
    return cause.status === 200
      ? `it answered ${cut(type)} in place of JSON at ${pathOf(cause)}`
      : `it answered ${cause.status} at ${pathOf(cause)}${hint}`
  }
  if (isMismatch(cause) && cause.attribute === 'issuer') {
    const { issuer } = cause.body
    return `its issuer is ${cut(issuer)}, not ${cause.expected}: set MUSTER_OIDC_ISSUER=${cut(issuer)} if that is the provider`
  }
  if (typeof code !== 'string') return undefined
  const words = wordsOf[code]
  if (words !== undefined) return `${words} (${code})`
  if (/CERT|SIGNATURE|ERR_TLS/.test(code)) {
    return `its certificate is not trusted: ${error.message} (${code}); NODE_EXTRA_CA_CERTS names a file with further authorities`
  }
  return undefined
}

const tooSlow = 'it does not answer in time'
const wordsOf: Record<string, string> = {
  OAUTH_KEY_SELECTION_FAILED:
    'none of its published keys fits the ID token, which must be signed with one of them and not with the client secret',

  ECONNREFUSED: 'it refuses the connection',
  ECONNRESET: 'it closed the connection',
  ENOTFOUND: 'its name is not found',
  EAI_AGAIN: 'its name cannot be looked up now',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ETIMEDOUT: tooSlow,
  OAUTH_TIMEOUT: tooSlow,
  UND_ERR_CONNECT_TIMEOUT: tooSlow,
  UND_ERR_SOCKET: 'it closed the connection',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'its answer is too large',
}

/** All causes, from the innermost to the outermost error. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let one = error; one instanceof Error && causes.length < 10; one = one.cause) {
    causes.unshift(one)
    if (one instanceof AggregateError) causes.unshift(...one.errors.slice(0, 1))
  }
  return causes
}

/** undici has its own class. */
function isAnswer(cause: unknown): cause is Response {
  return Object.prototype.toString.call(cause) === '[object Response]'
}

interface Mismatch {
  expected: string
  attribute: string
  body: { issuer: string }
}

function isMismatch(cause: unknown): cause is Mismatch {
  return typeof cause === 'object' && cause !== null && 'attribute' in cause && 'expected' in cause
}

function pathOf({ url }: Response): string {
  return URL.parse(url)?.pathname ?? 'an address of its metadata'
}

/** A provider's text for logs and terminals: on one line, bounded. */
function cut(text: string): string {
  return text.replaceAll(/[^\P{C}]+/gu, ' ').slice(0, 300)
}
