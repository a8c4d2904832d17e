import type { SealedPlace } from '../secret-box.ts'

/** A signing secret at rest, bound to its account and endpoint. */
export function placeOf(accountId: string, endpointId: string): SealedPlace {
  return ['webhook', accountId, endpointId]
}
