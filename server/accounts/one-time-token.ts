import { createHash, randomBytes } from 'node:crypto'

/** Secrets of sessions and links: 256 random bits, of which the database keeps only a hash. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Whether a text can be a token at all; others are refused without asking the database. */
export function canBeToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}
