import { notPublic, OutboundError, refuse, wayIn } from './outbound-error.ts'
import { isIP } from 'node:net'
import { isPublicAddress, type AllowedNetworks } from './address.ts'

/*
 * Where an outbound call may go: what can be said of a URL by its text alone (`checkUrl`), and of its host by name,
 * port and addresses (`refuseTarget`, `refuseAddresses`).
 */

/** Targets that an operator allows beyond public hosts on the scheme's default port. */
export interface ReachRules {
  allowedNetworks: AllowedNetworks
  /** Additional allowed ports of public hosts. */
  allowedPorts?: readonly number[] | undefined
  /** Only allowed networks: for plain HTTP, which must not cross the internet. */
  insideOnly?: boolean | undefined
}

export interface Target {
  /** Lower case, ASCII; an IPv6 address without brackets. */
  hostname: string
  port: number
  /** Default port of the scheme. */
  defaultPort: number
}

export interface UrlRules extends ReachRules {
  /** Accept `http://` as well; default false. */
  allowHttp?: boolean | undefined
}

/** `inside` accepts `http://` only if all addresses are in allowed networks. */
export type AllowHttp = boolean | 'inside'

/** Whether a URL may be called in allowed networks only. */
export function isInsideOnly(url: URL, allowHttp: AllowHttp | undefined): boolean {
  return allowHttp === 'inside' && url.protocol === 'http:'
}

const maxUrlCharacters = 2048

/**
 * The rules for a user's URL that need no lookup. Throws an `OutboundError` that says what is wrong
 * and what is accepted, to follow the name of the field.
 */
export function checkUrl(text: string, rules: UrlRules): URL {
  refuse(refuseText(text, rules))
  return checkKnownUrl(text, rules)
}

/** The rules for a URL that was checked when it was stored. */
export function checkKnownUrl(known: string | URL, rules: UrlRules): URL {
  const url = URL.parse(known)
  const why = `is not a valid URL, expected ${example(rules)}`
  if (url === null) throw new OutboundError('refused_address', why)
  refuse(refuseUrl(url, rules))
  return url
}

// The parser removes tabs and newlines, converts backslashes and adds slashes: texts that a person
// would read differently are rejected before they are parsed.
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

export function toTarget(url: URL): Target {
  const defaultPort = url.protocol === 'http:' ? 80 : 443
  return {
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
    defaultPort,
  }
}

/** Why a target is rejected by its name, port or literal address; undefined if it is not. */
export function refuseTarget(target: Target, rules: ReachRules): string | undefined {
  const { hostname } = target
  if (isIP(hostname) !== 0) return refuseAddresses(target, [hostname], rules)
  if (hostname.length > 253) return 'host name is too long, expected up to 253 characters'
  if (hostname.endsWith('.')) return `host ${hostname} ends in a dot, expected a host without it`
  if (!hostname.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) {
    return `host ${hostname} is not a host name, expected labels of a-z 0-9 - _ with dots between`
  }
  if (metadataNames.has(hostname)) return notPublic(hostname)
  if (rules.allowedNetworks.cidrs.length > 0) return undefined
  if (isPrivateName(hostname)) return notPublic(hostname)
  return isAcceptedPort(target, rules) ? undefined : wrongPort(target, rules)
}

/**
 * Why a target is rejected by its resolved addresses; one bad address is enough. A private name or
 * an unusual port is accepted if every address is in an allowed network.
 */
export function refuseAddresses(
  target: Target,
  addresses: readonly string[],
  rules: ReachRules,
): string | undefined {
  const others = addresses.filter((address) => !rules.allowedNetworks.includes(address))
  if (others.length === 0) return undefined
  if (isPrivateName(target.hostname) || !others.every(isPublicAddress)) {
    return notPublic(target.hostname)
  }
  if (rules.insideOnly === true) {
    return `scheme http is accepted only in networks that the operator allows, expected https${wayIn(target.hostname)}`
  }
  return isAcceptedPort(target, rules) ? undefined : wrongPort(target, rules)
}

/** Names that only exist inside a machine or a network. */
export function isPrivateName(hostname: string): boolean {
  if (isIP(hostname) !== 0) return false
  return !hostname.includes('.') || privateSuffix.test(hostname)
}

const privateSuffix = /\.(localhost|localdomain|local|internal|home\.arpa)$/

const metadataNames = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
])

function isAcceptedPort(target: Target, rules: ReachRules): boolean {
  return target.port === target.defaultPort || (rules.allowedPorts ?? []).includes(target.port)
}

function wrongPort(target: Target, rules: ReachRules): string {
  const accepted = [...new Set([target.defaultPort, ...(rules.allowedPorts ?? [])])]
  return `port ${target.port} is not accepted, expected ${accepted.join(', ')}${wayIn(target.hostname)}`
}
