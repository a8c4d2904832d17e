import type { SealedPlace, SecretBox } from '../secret-box.ts'

/** A signing secret at rest, bound to its account and endpoint. */
export function placeOf(accountId: string, endpointId: string): SealedPlace {
  return ['webhook', accountId, endpointId]
}

export function sealSecret(
  { secrets, accountId }: { secrets: SecretBox; accountId: string },
  endpointId: string,
  secret: string,
): Buffer {
  return secrets.seal(Buffer.from(secret), placeOf(accountId, endpointId))
}
