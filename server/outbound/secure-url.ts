import { isIP } from 'node:net'

/** Whether only this machine can be reached by the name. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Whether what is read from the address can be trusted: over TLS, or without leaving this machine. */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true
  return protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, ''))
}
