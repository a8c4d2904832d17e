import { randomBytes, timingSafeEqual } from 'node:crypto'
import { bytesOf, idFromBytes } from '../../ids.ts'
import type { SealedPlace, SecretBox } from '../../secret-box.ts'

/**
 * The encrypted values of a hook: its signing secrets, and the random part of its address. The
 * address also names account and hook, so that one query finds it.
 */
export function secretPlace(accountId: string, id: string): SealedPlace {
  return ['hook', accountId, id]
}

export function addressPlace(accountId: string, id: string): SealedPlace {
  return ['hook address', accountId, id]
}

const idBytes = 16
const keyBytes = 18

export function newAddressKey(): Buffer {
  return randomBytes(keyBytes)
}

export function tokenOf(accountId: string, id: string, key: Buffer): string {
  return Buffer.concat([bytesOf(accountId), bytesOf(id), key]).toString('base64url')
}

/** The hook that a token names; `isKey` verifies the token's key. */
export function readToken(
  token: string,
): { accountId: string; id: string; key: Buffer } | undefined {
  const bytes = Buffer.from(token, 'base64url')
  const isWhole = bytes.length === 2 * idBytes + keyBytes && bytes.toString('base64url') === token
  if (!isWhole) return undefined
  try {
    return {
      accountId: idFromBytes('acc', bytes.subarray(0, idBytes)),
      id: idFromBytes('hook', bytes.subarray(idBytes, 2 * idBytes)),
      key: bytes.subarray(2 * idBytes),
    }
  } catch {
    return undefined
  }
}

export function isKey(
  secrets: SecretBox,
  hook: { accountId: string; id: string; address_key: Buffer },
  key: Buffer,
): boolean {
  const own = secrets.open(hook.address_key, addressPlace(hook.accountId, hook.id))
  return own.length === key.length && timingSafeEqual(own, key)
}

/** Generates a secret in the form of a scheme. */
export function makeSecret(scheme: string): string {
  const random = randomBytes(32)
  return scheme === 'standard_webhooks'
    ? `whsec_${random.toString('base64')}`
    : random.toString('base64url')
}
