import { OutboundError, refuse } from './outbound-error.ts'
import { refuseTarget, toTarget, type ReachRules } from './reach.ts'

export interface UrlRules extends ReachRules {
  /** Accept `http://` as well; default false. */
  allowHttp?: boolean | undefined
}

/** `inside` accepts `http://` only where all addresses are in networks that the operator allows. */
export type AllowHttp = boolean | 'inside'

/** Whether a URL may be called in allowed networks only. */
export function isInsideOnly(url: URL, allowHttp: AllowHttp | undefined): boolean {
  return allowHttp === 'inside' && url.protocol === 'http:'
}

const maxUrlCharacters = 2048

/**
 * The rules for a URL that a user writes: all that can be said without a look-up. Refuses with an `OutboundError`
 * that says what is wrong and what is accepted, to be put after the name of the field.
 */
export function checkUrl(text: string, rules: UrlRules): URL {
  refuse(refuseText(text, rules))
  return checkKnownUrl(text, rules)
}

/** The rules for a URL that was checked when it was written, such as one that was stored. */
export function checkKnownUrl(known: string | URL, rules: UrlRules): URL {
  const url = URL.parse(known)
  const why = `is not a valid URL, expected ${example(rules)}`
  if (url === null) throw new OutboundError('refused_address', why)
  refuse(refuseUrl(url, rules))
  return url
}

// The parser removes tabs and newlines, turns backslashes and adds slashes: what a person would read
// differently is refused before it is parsed.
function refuseText(text: string, rules: UrlRules): string | undefined {
  if (text.length > maxUrlCharacters) {
    return `has ${text.length} characters, expected up to ${maxUrlCharacters}`
  }
  if (/[\p{C}\p{Z}]/u.test(text)) {
    return 'holds white space or an invisible character, expected none'
  }
  if (text.includes('\\')) return 'holds a backslash, expected /'
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/i.exec(text) ?? []
  if (scheme === undefined) return `is not absolute, expected ${example(rules)}`
  if (!isAcceptedScheme(scheme.toLowerCase(), rules)) return wrongScheme(scheme, rules)
  if (!/^\/\/[^/?#]/.test(rest)) return `has no host, expected ${example(rules)}`
  if (/^\/\/[^/?#]*@/.test(rest)) return credentials
  if (text.includes('#')) return 'has a fragment, which is never sent, expected a URL without #'
}

function refuseUrl(url: URL, rules: UrlRules): string | undefined {
  const scheme = url.protocol.slice(0, -1)
  if (!isAcceptedScheme(scheme, rules)) return wrongScheme(scheme, rules)
  if (url.username !== '' || url.password !== '') return credentials
  return refuseTarget(toTarget(url), rules)
}

const credentials = 'has a user name or password, expected a URL without'

function isAcceptedScheme(scheme: string, rules: UrlRules): boolean {
  return scheme === 'https' || (scheme === 'http' && rules.allowHttp === true)
}

function wrongScheme(scheme: string, rules: UrlRules): string {
  const accepted = rules.allowHttp === true ? 'https and http' : 'https'
  return `scheme ${scheme.slice(0, 20)} is not accepted, expected ${accepted}`
}

function example(rules: UrlRules): string {
  const schemes = rules.allowHttp === true ? 'https:// or http://' : 'https://'
  return `an absolute ${schemes} URL`
}
