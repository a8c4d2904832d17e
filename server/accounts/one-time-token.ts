import { createHash, randomBytes } from 'node:crypto'

/** Tokens of sessions and links: 256 random bits, of which only a hash is stored. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Whether a text can be a token; others are rejected without a database query. */
export function canBeToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}
