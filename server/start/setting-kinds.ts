import { isIP } from 'node:net'
import { parseS3Url, s3Form } from '../contents/s3-settings.ts'
import type { EgressProxy } from '../outbound/egress-proxy.ts'
import { isSecureUrl } from '../outbound/address.ts'
import { roles } from '../identity.ts'
import { findMeant } from '../nearest.ts'

/** Kinds of settings: how each is written, and what is expected of an invalid value. */

/** `shown` replaces the value in the message. */
export type Bad = (expected: string, shown?: string) => Error
export type Parse<T> = (value: string, bad: Bad) => T

export const wholeNumber = (min: number, max: number): Parse<number> =>
  numberOf(/^\d+$/, 'a whole number', min, max)

function numberOf(pattern: RegExp, what: string, min: number, max: number): Parse<number> {
  return (value, bad) => {
    const number = Number(value)
    if (pattern.test(value) && number >= min && number <= max) return number
    throw bad(`${what} from ${min} to ${max}`)
  }
}

function oneOf<T extends string>(words: readonly T[], expected = words.join(', ')): Parse<T> {
  return (value, bad) => {
    const found = words.find((word) => word === value)
    if (found !== undefined) return found
    throw bad(expected)
  }
}

/** A comma-separated list of valid items. */
function list(isGood: (part: string) => boolean, expected: string, most = Infinity) {
  return (value: string, bad: Bad): string[] => {
    const parts = value.split(',').map((part) => part.trim())
    if (parts.length <= most && parts.every(isGood)) return parts
    throw bad(expected)
  }
}

export const lowerCase = (text: string): string => text.toLowerCase()
const decimal = /^\d+(\.\d+)?$/
export const leaseSeconds = numberOf(decimal, 'a number of seconds', 0.2, 60)
export const logLevel = oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
export const clientAuth = oneOf(['client_secret_basic', 'client_secret_post'])
export const onOrOff = oneOf(['on', 'off'], 'on or off')

/** `true`, or the words of newer instrumentations; Muster's spans have content, its events none. */
export const contentCapture: Parse<boolean> = (value, bad) => {
  const word = value.toLowerCase()
  if (['true', 'span_only', 'span_and_event'].includes(word)) return true
  if (['false', 'no_content', 'event_only'].includes(word)) return false
  throw bad('true or false (also SPAN_ONLY, SPAN_AND_EVENT, EVENT_ONLY, NO_CONTENT)')
}
export const promotion = oneOf(['ask', 'trust'], 'ask or trust')
export const role = oneOf(roles, `one of ${roles.join(', ')}`)

/** As browsers send them in `Origin`: no path, no default port, lower case; never `*` or `null`. */
export const corsOrigins = list(
  (text) => /^https?:/.test(text) && URL.parse(text)?.origin === text,
  'up to 50 origins with commas between, such as https://app.example.com',
  50,
)

export const proxies = list((text) => {
  const [address = '', bits = '0', ...rest] = text.split('/')
  const most = isIP(address) === 6 ? 128 : 32
  const hasBits = /^\d{1,3}$/.test(bits) && Number(bits) <= most
  return rest.length === 0 && isIP(address) > 0 && hasBits
}, 'addresses or CIDRs with commas between, such as 10.0.0.0/8')

export const domains = list(
  (text) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text),
  'domains with commas between, such as example.com,example.org',
)

export const webhookSchedule = list(
  (text) => decimal.test(text) && Number(text) <= 2_592_000,
  '1 to 20 numbers of seconds with commas between, such as 0,5,300',
  20,
)

export function httpUrl(value: string, bad: Bad): string {
  if (['http:', 'https:'].includes(URL.parse(value)?.protocol ?? ''))
    return value.replace(/\/+$/, '')
  throw bad('an http:// or https:// URL')
}

/**
 * Kept exactly as typed, including a trailing slash, because discovery compares it with the
 * provider's.
 */
export function issuer(value: string, bad: Bad): URL {
  const url = URL.parse(value)
  if (url !== null && isSecureUrl(url) && url.search === '' && url.hash === '') return url
  throw bad('an https:// URL without a query (http:// for a provider on this machine alone)')
}

export function databaseUrl(value: string, bad: Bad): string {
  const { protocol } = URL.parse(value) ?? {}
  if (protocol === 'postgres:' || protocol === 'postgresql:') return value
  const shown = protocol === undefined ? 'not a URL' : `a ${protocol}// URL`
  throw bad('postgresql://user:password@host:5432/database', shown)
}

export function egressProxy(value: string, bad: Bad): EgressProxy {
  const url = URL.parse(value)
  const isBare = url !== null && url.pathname === '/' && url.search === '' && url.hash === ''
  const expected = 'http://host:port, or http://user:password@host:port'
  if (!isBare || url.protocol !== 'http:' || !value.includes('://')) {
    throw bad(expected, 'not the address of an HTTP proxy')
  }
  const { username, password } = url
  try {
    const credentials = [username, password].map(decodeURIComponent).join(':')
    const basic = `Basic ${Buffer.from(credentials).toString('base64')}`
    return {
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || 80,
      authorization: username === '' ? undefined : basic,
    }
  } catch {
    throw bad(`${expected} with % written as %25`, 'not the address of an HTTP proxy')
  }
}

export type S3Url = NonNullable<ReturnType<typeof parseS3Url>>

export function s3(value: string, bad: Bad): S3Url {
  const parsed = parseS3Url(value)
  if (parsed !== undefined) return parsed
  throw bad(s3Form, 'not the URL of a bucket')
}

export function s3List(value: string, bad: Bad): S3Url[] {
  const urls = value.split(',').map((url) => url.trim())
  if (urls.length <= 10) return urls.map((url) => s3(url, bad))
  throw bad(`up to 10 URLs with commas between, each ${s3Form}`, `${urls.length} URLs`)
}

export function secretKey(value: string, bad: Bad): Buffer {
  const key = Buffer.from(value, 'base64')
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(value) && key.length === 32) return key
  throw bad('32 bytes in base64 (openssl rand -base64 32)', `a text of ${value.length} characters`)
}

export function secretKeys(value: string, bad: Bad): Buffer[] {
  const keys = value.split(',').map((key) => key.trim())
  const [most, count] = ['up to 10 keys with commas between', `${keys.length} keys`]
  const listed = (expected: string) => bad(`${most}, each ${expected}`, `${count}, one of them bad`)
  if (keys.length <= 10) return keys.map((key) => secretKey(key, listed))
  throw bad(most, count)
}

export function adminKey(value: string, bad: Bad): string {
  if (/^[A-Za-z0-9_-]{32,200}$/.test(value)) return value
  throw bad('32 to 200 characters of A-Z a-z 0-9 _ -', `a text of ${value.length} characters`)
}

export function smtpServer(value: string, bad: Bad): Record<string, unknown> {
  const url = URL.parse(value)
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw bad('smtp://user:password@host:587 or smtps://…:465', 'not an SMTP URL')
  }
  const decode = (part: string): string => {
    try {
      return decodeURIComponent(part)
    } catch {
      throw bad('special characters as %XX', 'not well encoded')
    }
  }
  const secure = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(url.username === '' ? {} : { user: decode(url.username) }),
    ...(url.password === '' ? {} : { pass: decode(url.password) }),
  }
}

export function publicUrl(value: string, bad: Bad): string {
  const url = httpUrl(value, bad)
  if (new URL(url).pathname === '/') return new URL(url).origin
  throw bad('an http:// or https:// URL without a path')
}

/** Variables for the CLI, the SDK and tests. */
const others = [
  'MUSTER_API_KEY',
  'MUSTER_API_KEY_FILE',
  'MUSTER_PARENT_PID',
  'MUSTER_PROFILE',
  'MUSTER_URL',
  'MUSTER_WEBHOOK_SECRET',
]
/** Variables that Kubernetes sets for a service named `muster`. */
const notOurs = /^MUSTER_(TEST_|SERVICE_|PORT($|_\d))/

/** Messages about variables that look like settings but are unknown, usually because of a typo. */
export function findUnknownSettings(
  env: Record<string, string | undefined>,
  known: ReadonlySet<string>,
): string[] {
  const all = [...known, ...others]
  return Object.keys(env)
    .filter((name) => name.startsWith('MUSTER_') && !notOurs.test(name) && !all.includes(name))
    .slice(0, most)
    .map((name) => {
      const meant = findMeant(name, all)
      return `${name.slice(0, 100)} is not a setting${meant === undefined ? '' : `, did you mean ${meant}?`}`
    })
}

const most = 20
