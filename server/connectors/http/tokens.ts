import { LRUCache } from 'lru-cache'
import type { Outbound } from '../../outbound/outbound.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { visibleText } from '../../safe-text.ts'
import { basicOf, hideConnection, type Auth, type HttpConnection } from './connection.ts'
import { encodePairs } from './request.ts'

/**
 * Access tokens of OAuth 2.0 client credentials. Each process has its own, in memory; calls that
 * come at once share one request, and a token is replaced before it ends.
 */
type OAuth = Extract<Auth, { type: 'oauth2' }>

/** Why no token was issued, in words without secrets; nothing was called. */
export class LoginError extends Error {
  override readonly name = 'LoginError'
  /** The authorization server was reached and refused. */
  readonly isRefused: boolean

  constructor(message: string, isRefused: boolean) {
    super(message)
    this.isRefused = isRefused
  }
}

interface Known {
  token: Promise<string>
  /** Time of `performance.now()` from which it is replaced. */
  staleAt: number
}

const maxTokens = 10_000
const timeoutMs = 15_000
const maxAnswerBytes = 64 * 1024
/** How long a token without `expires_in` is used. */
const unsaidSeconds = 300
/** A token is replaced this long before it ends, or in the last fifth of a short life. */
const beforeEndSeconds = 60

const tokensOf = new WeakMap<Outbound, AccessTokens>()

/** The tokens of a process, which has one transport. */
export function accessTokens(outbound: Outbound): AccessTokens {
  return tokensOf.getOrInsertComputed(outbound, () => new AccessTokens(outbound))
}

class AccessTokens {
  readonly #outbound: Outbound
  readonly #known = new LRUCache<string, Known>({ max: maxTokens })

  constructor(outbound: Outbound) {
    this.#outbound = outbound
  }

  /** The token of a connection, if it logs in by OAuth. `key` names the connection and its version. Throws `LoginError`. */
  async of(key: string, connection: HttpConnection): Promise<string | undefined> {
    const { auth } = connection
    if (auth.type !== 'oauth2') return undefined
    const known = this.#known.get(key)
    if (known !== undefined && performance.now() < known.staleAt) return known.token
    const asked: Known = { token: Promise.resolve(''), staleAt: Infinity }
    asked.token = this.#ask(auth, connection).then(({ token, seconds }) => {
      const usedSeconds = Math.max(seconds - beforeEndSeconds, seconds * 0.8)
      asked.staleAt = performance.now() + usedSeconds * 1_000
      return token
    })
    this.#known.set(key, asked)
    try {
      return await asked.token
    } catch (error) {
      if (this.#known.get(key) === asked) this.#known.delete(key)
      throw error
    }
  }

  /** Forgets a token that the API has refused. */
  forget(key: string): void {
    this.#known.delete(key)
  }

  async #ask(auth: OAuth, connection: HttpConnection): Promise<{ token: string; seconds: number }> {
    const { client_id: id, client_secret: secret, scopes, audience } = auth
    const fields: [string, string][] = [
      ['grant_type', 'client_credentials'],
      ...(scopes === undefined || scopes.length === 0
        ? []
        : [['scope', scopes.join(' ')] as [string, string]]),
      ...(audience === undefined ? [] : [['audience', audience] as [string, string]]),
    ]
    // RFC 6749 makes every server take the login in a header; some take it in the body only.
    const inHeader = await this.#post(auth, fields, {
      authorization: `Basic ${basicOf(encodeURIComponent(id), encodeURIComponent(secret))}`,
    })
    const isTaken = inHeader.status !== 400 && inHeader.status !== 401
    const inBody: typeof fields = [...fields, ['client_id', id], ['client_secret', secret]]
    const { status, body } = isTaken ? inHeader : await this.#post(auth, inBody, {})
    const { access_token: token, expires_in: expiresIn } = body
    const isToken = typeof token === 'string' && /^[\x21-\x7e]{1,16000}$/.test(token)
    if (status < 200 || status >= 300 || !isToken) {
      const said = wordsOf(body)
      const why = `the token endpoint answered ${status}${said === undefined ? ' without a token' : `: ${said}`}`
      throw new LoginError(hideConnection(why, connection), true)
    }
    const seconds = Number(expiresIn)
    return { token, seconds: seconds > 0 ? seconds : unsaidSeconds }
  }

  async #post(
    { token_url: url }: OAuth,
    fields: [string, string][],
    headers: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    try {
      const answer = await this.#outbound.request(url, {
        method: 'POST',
        headers: {
          ...headers,
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          'user-agent': 'Muster',
        },
        body: encodePairs(fields),
        timeoutMs,
        maxResponseBytes: maxAnswerBytes,
        allowHttp: 'inside',
      })
      return { status: answer.status, body: parse(answer.body) }
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw new LoginError(`the token endpoint cannot be reached: ${error.message}`, false)
    }
  }
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function wordsOf({
  error_description: description,
  error,
}: Record<string, unknown>): string | undefined {
  const said = [error, description].filter((part) => typeof part === 'string' && part !== '')
  return said.length === 0 ? undefined : visibleText(said.join(': ')).slice(0, 300)
}
