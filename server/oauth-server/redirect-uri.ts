/**
 * Redirect addresses of clients: where a browser takes the code. They are compared exactly, except for the port of an
 * address of this computer (RFC 8252), which a program chooses when it starts.
 */
const maxLength = 1_000

/** Schemes of editors that receive the code from the browser on the same computer. */
const appSchemes = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:'])
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Why an address is refused; undefined if it is accepted. */
export function refuseRedirectUri(text: string): string | undefined {
  if (text.length > maxLength) return `it has more than ${maxLength} characters`
  const url = URL.parse(text)
  if (url === null || !/^[\x21-\x7e]+$/.test(text)) return 'it is not a URL'
  if (text.includes('#')) return 'it has a fragment'
  if (url.username !== '' || url.password !== '') return 'it has a user name'
  const isKnown =
    url.protocol === 'https:' ||
    isLoopback(url) ||
    (appSchemes.has(url.protocol) && url.host !== '')
  return isKnown ? undefined : 'expected https://, or http:// with localhost, 127.0.0.1 or [::1]'
}

/** Whether the address that a request names is one of the client's. */
export function isRedirectUriOf(registered: readonly string[], asked: string): boolean {
  if (registered.includes(asked)) return true
  const portless = withoutLoopbackPort(asked)
  return portless !== undefined && registered.some((one) => withoutLoopbackPort(one) === portless)
}

/** Whether the code goes to a program on the person's own computer, where any program may listen. */
export function isLocal(redirectUri: string): boolean {
  const url = new URL(redirectUri)
  return isLoopback(url) || url.protocol !== 'https:'
}

/** The host of an address as people see it; the scheme for the address of an app. */
export function shownHost(address: string): string {
  const { protocol, host, hostname } = new URL(address)
  if (protocol === 'http:') return hostname
  return protocol === 'https:' ? host : `${protocol}//`
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && loopbackHosts.has(hostname)
}

/** Undefined for an address that is compared with its port. */
function withoutLoopbackPort(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !isLoopback(url)) return undefined
  const match = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/i.exec(
    text,
  )
  return match === null ? undefined : `${match[1]}${match[2]}`
}
