import { OutboundError } from '../../outbound/outbound-error.ts'
import { visibleText } from '../../safe-text.ts'
import { loadClient } from '../mcp/session.ts'

/** Why a login failed, in words without secrets. */
export class LoginError extends Error {
  override readonly name = 'LoginError'
  /** The authorization server refused the login for good; otherwise the same may succeed later. */
  readonly isFinal: boolean

  constructor(message: string, options: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options)
    this.isFinal = options.isFinal ?? true
  }
}

/** Explains a failure of the client library or of the connection. */
export async function toLoginError(error: unknown): Promise<LoginError> {
  if (error instanceof LoginError) return error
  if (error instanceof OutboundError) {
    return new LoginError(error.message, {
      cause: error,
      isFinal: error.kind === 'refused_address',
    })
  }
  const { OAuthError, RegistrationRejectedError, IssuerMismatchError } = await loadClient()
  if (error instanceof RegistrationRejectedError) {
    return new LoginError(
      `its authorization server does not register Muster (${error.status}: ${wordsOf(error.body)})`,
      { cause: error },
    )
  }
  if (error instanceof IssuerMismatchError) {
    return new LoginError('the answer does not name the issuer of the authorization server (iss)', {
      cause: error,
    })
  }
  if (error instanceof OAuthError) {
    return new LoginError(
      `its authorization server answered ${wordsOf(error.code)}: ${wordsOf(error.message)}`,
      { cause: error, isFinal: !passing.has(error.code) },
    )
  }
  const said = error instanceof Error ? error.message : 'unknown reason'
  return new LoginError(`its login cannot be used: ${wordsOf(said)}`, {
    cause: error,
    // Such as an answer with 500 or without JSON.
    isFinal: false,
  })
}

/** Codes of OAuth that say nothing about the login. */
const passing = new Set([
  'server_error',
  'temporarily_unavailable',
  'slow_down',
  'too_many_requests',
])
const maxWords = 300

export function wordsOf(text: string): string {
  return visibleText(text.slice(0, 2_000)).replaceAll(/\s+/g, ' ').trim().slice(0, maxWords)
}
