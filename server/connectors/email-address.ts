import { domainToASCII } from 'node:url'
import { addressPattern } from '../email-text.ts'

/** An address, or a name with the address in angle brackets. */
const mailbox = (name: string): string => `(?:${addressPattern}|${name}{1,100} <${addressPattern}>)`

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
