import { visibleText, wholeEnd } from '../safe-text.ts'
import { OAuthError } from './oauth-error.ts'
import { refuseRedirectUri } from './redirect-uri.ts'

/** What a client says of itself, in its metadata document or when it registers (RFC 7591). */
export interface ClientMetadata {
  /** Undefined if it gives none. */
  name: string | undefined
  redirectUris: string[]
}

const maxNameLength = 80
const maxRedirectUris = 10

export function readClientMetadata(body: unknown): ClientMetadata {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new OAuthError('invalid_client_metadata', 'the metadata of a client is a JSON object')
  }
  const fields = body as Record<string, unknown>
  const { client_name: name, redirect_uris: uris, grant_types: grants } = fields
  const isList = Array.isArray(uris) && uris.every((uri) => typeof uri === 'string')
  if (!isList || uris.length === 0 || uris.length > maxRedirectUris) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris has to be a list of 1 to ${maxRedirectUris} addresses`,
    )
  }
  for (const [index, uri] of uris.entries()) {
    const why = refuseRedirectUri(uri)
    if (why === undefined) continue
    throw new OAuthError('invalid_redirect_uri', `redirect_uris[${index}] is refused: ${why}`)
  }
  if (Array.isArray(grants) && !grants.includes('authorization_code')) {
    throw new OAuthError('invalid_client_metadata', 'grant_types has to have authorization_code')
  }
  return { name: typeof name === 'string' ? shownName(name) : undefined, redirectUris: uris }
}

/** A client's name without invisible characters, on one line. */
function shownName(text: string): string | undefined {
  const visible = visibleText(text.slice(0, 10 * maxNameLength))
    .replaceAll(/\s+/g, ' ')
    .trim()
  const name = visible.slice(0, wholeEnd(visible, maxNameLength)).trim()
  return name === '' ? undefined : name
}
