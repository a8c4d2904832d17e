import { domainToASCII } from 'node:url'

/**
 * What the receiving mail server says about a message's sender (`Authentication-Results`, RFC 8601). Without it, From is
 * only what the sender wrote.
 */
export interface SenderFilter {
  senders: string[] | null
  require_authenticated: boolean
  /** Name by which the receiving server signs its results; null to trust the topmost header. */
  authserv_id: string | null
}

interface Header {
  key: string
  value: string
}

/** Headers of a message that are looked at; a message may have thousands. */
const maxResults = 10

/** Why the sender is not believed; null if they are, or if it does not matter who they are. */
export function whyDoubted(
  headers: readonly Header[],
  sender: string,
  filter: SenderFilter,
): string | null {
  const { senders, require_authenticated: isRequired, authserv_id: server } = filter
  if (senders === null && !isRequired) return null
  const results = headers.filter(({ key }) => key === 'authentication-results').slice(0, maxResults)
  // A server adds its results on top of those that came with the message, which anyone may have written.
  const found = results
    .map(({ value }) => read(value))
    .find((one) => server === null || one.server === server.toLowerCase())
  if (found?.dmarc === 'fail') {
    return 'Its sender is not who it says: the mail server found dmarc=fail'
  }
  if (!isRequired) return null
  const isAligned = found?.from === undefined || isSameDomain(found.from, sender)
  if (found?.dmarc === 'pass' && isAligned) return null
  return 'Its sender is not authenticated: the mail server did not find dmarc=pass'
}

interface Results {
  server: string
  dmarc: string | undefined
  /** Domain of From that the result is about. */
  from: string | undefined
}

function read(value: string): Results {
  // Comments in parentheses may contain anything, semicolons too.
  const [server = '', ...results] = value
    .toLowerCase()
    .replaceAll(/\([^()]*\)/g, ' ')
    .split(';')
  const dmarc = results.find((one) => /^\s*dmarc\s*=/.test(one)) ?? ''
  return {
    server: server.trim().split(/\s/, 1)[0] ?? '',
    dmarc: /dmarc\s*=\s*([a-z]+)/.exec(dmarc)?.[1],
    from: /header\.from\s*=\s*"?([^\s;"]+)/.exec(dmarc)?.[1],
  }
}

function isSameDomain(from: string, sender: string): boolean {
  const domain = (address: string): string =>
    asciiDomain(`@${address.slice(address.lastIndexOf('@') + 1)}`)
  return domain(from) === domain(sender)
}

/** An address, or a domain after `@`, with its domain in the form that DNS has: `ada@xn--mnchen-3ya.de`. */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1
  return `${address.slice(0, at)}${domainToASCII(address.slice(at)) || address.slice(at)}`
}
