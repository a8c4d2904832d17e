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
  { headers }: McpServer,
): string {
  const hint = status === 401 ? whyUnauthorized(challenge, headers) : hints[status]
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

function whyUnauthorized(challenge: string | undefined, headers: McpServer['headers']): string {
  const hasLogin = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  const wantsOAuth = challenge !== undefined && /^\s*bearer|resource_metadata/i.test(challenge)
  if (!wantsOAuth || hasLogin) return 'it does not accept the headers as a login'
  return (
    'it demands a login by OAuth, which Muster does not do; where the server also takes an access token or ' +
    'API key, put it into headers, such as Authorization: Bearer …'
  )
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
