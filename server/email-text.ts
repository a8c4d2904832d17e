/** Normalizes an email address for comparison, which ignores case. */
export function normalizeEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/** Spaces, controls, and characters that are invisible or change the direction of text. */
const hidden =
  '\\x00-\\x20\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\uffff'
const domainLabel = `[^${hidden}\\x21-\\x2c\\x2e\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e]{1,63}`
const localPart = `[^${hidden}"(),:;<>@[\\]\\\\]{1,64}`

/**
 * Email addresses, in regular expressions: ASCII as HTML forms accept it, and visible letters of other scripts. Letters
 * before the `@` require a server with SMTPUTF8. A mail server's own domain may be a single label.
 */
export const addressPattern = `${localPart}@${domainLabel}(?:\\.${domainLabel}){0,8}`

/** An address on the Internet, as a JSON Schema pattern: its domain has a dot. */
export const emailPattern = `^${localPart}@${domainLabel}(?:\\.${domainLabel}){1,8}$`
export const maxEmailLength = 254

const email = new RegExp(emailPattern, 'u')

export function isEmail(text: string): boolean {
  return text.length <= maxEmailLength && email.test(text)
}
