/** A refusal in the form that OAuth clients read (RFC 6749, RFC 7591). */
export class OAuthError extends Error {
  readonly code: string
  readonly retryAfterSeconds: number | undefined

  constructor(code: string, message: string, retryAfterSeconds?: number) {
    super(message)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}
