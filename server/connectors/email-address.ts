import { domainToASCII } from 'node:url'

/**
 * Patterns of email addresses: ASCII as HTML forms accept it, and visible letters of other scripts.
 * Letters before the `@` require a server with SMTPUTF8.
 */
const hidden =
  '\\x00-\\x20\\x7f-\\xa0\\xad\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff\\ufff9-\\uffff'
const label = `[^${hidden}\\x21-\\x2c\\x2e\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e]{1,63}`
const address = `[^${hidden}"(),:;<>@[\\]\\\\]{1,64}@${label}(?:\\.${label}){0,8}`

/** An address, or a name with the address in angle brackets. */
const mailbox = (name: string): string => `(?:${address}|${name}{1,100} <${address}>)`

/** One to 20 recipients, separated by commas, which their names cannot contain. */
const receiver = mailbox('[^\\x00-\\x1f\\x7f<>",:;]')
export const addressList = `^${receiver}(?: *, *${receiver}){0,19}$`

export const sender = `^${mailbox('[^\\x00-\\x1f\\x7f<>"]')}$`

export interface Mailbox {
  name: string
  address: string
}

/** Converts the domain to ASCII, which every server accepts. */
export function toMailbox(text: string): Mailbox {
  const [, name = '', address = text] = /^(.*) <(.+)>$/s.exec(text) ?? []
  const at = address.lastIndexOf('@') + 1
  const domain = domainToASCII(address.slice(at))
  return { name, address: domain === '' ? address : address.slice(0, at) + domain }
}
