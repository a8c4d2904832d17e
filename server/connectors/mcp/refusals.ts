import { visibleText } from '../../safe-text.ts'
import { isObject } from './message.ts'
import type { McpServer } from './session.ts'

/** The client library's error. */
interface HttpFailure {
  status?: number
  text?: string | null
}

/** Explains an HTTP status of an MCP server, with the server's own words. */
export function httpWords(
  { status = 0, text }: HttpFailure,
  challenge: string | undefined,
  server: McpServer,
): string {
  const hint = status === 401 ? whyUnauthorized(challenge, server) : hints[status]
  const said = wordsOf(text) ?? challenge?.match(/error_description="([^"]{1,300})"/)?.[1]
  const parts = [hint, said !== undefined && `it says: ${visibleText(said)}`]
  const words = parts.filter((part) => typeof part === 'string').join('; ')
  return words === '' ? `it answered ${status}` : `it answered ${status}: ${words}`
}

const redirected = 'redirects are not followed, give the address itself'
const nowhere = 'no MCP server at this address'
const hints: Record<number, string> = {
  301: redirected,
  302: redirected,
  307: redirected,
  308: redirected,
  403: 'the login may not do this',
  404: nowhere,
  405: nowhere,
}

function whyUnauthorized(challenge: string | undefined, { headers, bearer }: McpServer): string {
  if (bearer !== undefined) return 'it does not accept the login any more'
  const wantsOAuth = readRefusal(401, challenge)?.wantsOAuth === true
  return wantsOAuth && !hasAuthorization(headers)
    ? 'it demands a login'
    : 'it does not accept the headers as a login'
}

/** Whether an admin's headers are the login, so that none by OAuth is tried. */
export function hasAuthorization(headers: McpServer['headers']): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

/** A server's demand for a login: 401, or 403 for one that may do more. */
export interface LoginRefusal {
  status: 401 | 403
  /** The `WWW-Authenticate` header names the scheme of OAuth. */
  wantsOAuth: boolean
  scope: string | undefined
  /** Where the server says who issues its tokens (RFC 9728). */
  resourceMetadataUrl: string | undefined
}

/** Reads a refusal; undefined if it does not concern the login. */
export function readRefusal(status: number | undefined, challenge = ''): LoginRefusal | undefined {
  if (status !== 401 && status !== 403) return undefined
  const field = (name: string): string | undefined => {
    const match = new RegExp(`\\b${name}="([^"]{1,2000})"`, 'i').exec(challenge)
    return match?.[1] ?? new RegExp(`\\b${name}=([^\\s",]{1,2000})`, 'i').exec(challenge)?.[1]
  }
  if (status === 403 && field('error') !== 'insufficient_scope') return undefined
  return {
    status,
    wantsOAuth: /^\s*bearer\b|resource_metadata/i.test(challenge),
    scope: field('scope'),
    resourceMetadataUrl: field('resource_metadata'),
  }
}

const maxWords = 300

/** The message in an error body: from the usual fields of JSON, else the text. */
function wordsOf(text: string | null | undefined): string | undefined {
  if (text === undefined || text === null || text.trim() === '' || /^\s*</.test(text))
    return undefined
  try {
    return inJson(JSON.parse(text.slice(0, 100_000)))?.slice(0, maxWords)
  } catch {
    return text.trim().slice(0, maxWords)
  }
}

function inJson(body: unknown): string | undefined {
  if (typeof body === 'string') return body
  if (!isObject(body)) return undefined
  for (const name of ['error_description', 'message', 'detail', 'error']) {
    const value = body[name]
    if (typeof value === 'string' && value !== '') return value
    if (isObject(value)) return inJson(value)
  }
  return undefined
}
