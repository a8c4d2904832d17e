import type { SealedPlace, SecretBox } from '../secret-box.ts'
import type { ProviderRow } from './store.ts'

/** Keys are stored sealed, each bound to its account and provider. */
export function sealKey(secrets: SecretBox, accountId: string, id: string, key: string): Buffer {
  return secrets.seal(Buffer.from(key), placeOf(accountId, id))
}

/** Undefined for a server without a key. */
export function openKey(
  secrets: SecretBox,
  accountId: string,
  { id, api_key: sealed }: Pick<ProviderRow, 'id' | 'api_key'>,
): string | undefined {
  return sealed === null ? undefined : secrets.open(sealed, placeOf(accountId, id)).toString()
}

export function placeOf(accountId: string, id: string): SealedPlace {
  return ['model_provider', accountId, id]
}
