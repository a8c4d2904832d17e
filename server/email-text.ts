/** Normalizes an email address for comparison, which ignores case. */
export function normalizeEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/** As a JSON Schema pattern: one @, a dotted domain, no space. */
export const emailPattern = '^[^\\s@<>"]{1,64}@[^\\s@<>".]+(\\.[^\\s@<>".]+)+$'
export const maxEmailLength = 254

const email = new RegExp(emailPattern)

export function isEmail(text: string): boolean {
  return text.length <= maxEmailLength && email.test(text)
}
