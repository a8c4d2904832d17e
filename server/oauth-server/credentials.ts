import { createHash, timingSafeEqual } from 'node:crypto'
import { hashToken, makeToken } from '../accounts/credentials.ts'

/**
 * Codes and tokens: a prefix, by which scanners of leaked secrets know them, and random bits. Only hashes are stored.
 * The refresh tokens of a grant share their first half, by which a used one is recognized.
 */
export function makeCode(): string {
  return `mac_${makeToken()}`
}

export function makeAccessToken(): string {
  return `mat_${makeToken()}`
}

export function makeRefreshToken(family: string): string {
  return `mrt_${family}${makeToken()}`
}

/** The half that all refresh tokens of a grant share; undefined for a text that is no refresh token. */
export function familyOf(refreshToken: string): string | undefined {
  return /^mrt_([\w-]{43})[\w-]{43}$/.exec(refreshToken)?.[1]
}

export function isAccessToken(text: string): boolean {
  return /^mat_[\w-]{43}$/.test(text)
}

export function isCode(text: string): boolean {
  return /^mac_[\w-]{43}$/.test(text)
}

/** Whether a code verifier belongs to the challenge of the authorization request (RFC 7636, S256). */
export function isVerifierOf(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const digest = createHash('sha256').update(verifier).digest('base64url')
  return timingSafeEqual(hashToken(digest), hashToken(challenge))
}
