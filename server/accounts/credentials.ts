import { hash, randomBytes, createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * API keys: `mst_`, 40 random base62 characters and 6 of checksum. The checksum lets scanners of
 * leaked secrets tell a real key from a look-alike without asking the service.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 40
const checksumLength = 6

export function makeKey(): string {
  let text = ''
  while (text.length < randomLength) {
    // Skips values of 248 and more, so that every character is equally likely.
    for (const byte of randomBytes(randomLength)) {
      if (byte < 248 && text.length < randomLength) text += alphabet[byte % 62]
    }
  }
  return `mst_${text}${checksum(text)}`
}

/** Whether a text has the form and checksum of a key from `makeKey`. */
export function isWellFormedKey(key: string): boolean {
  const match = /^mst_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/.exec(key)
  return match !== null && checksum(match[1] as string) === match[2]
}

/**
 * Whether a text can be a key: one with a valid checksum, or one that an operator chose. Other
 * guesses are rejected without a database query.
 */
export function canBeKey(key: string): boolean {
  return /^mst_[0-9A-Za-z]{46}$/.test(key)
    ? isWellFormedKey(key)
    : /^[A-Za-z0-9_-]{32,200}$/.test(key)
}

export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

/** The part of a key that is shown in lists, to tell keys apart. */
export function prefixOf(key: string): string {
  return key.slice(0, 10)
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

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
