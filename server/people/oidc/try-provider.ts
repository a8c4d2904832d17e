import type { EgressProxy } from '../../outbound/egress-proxy.ts'
import { Discovery } from './discovery.ts'
import { explainFailure } from './failure.ts'
import type { OidcSettings } from './client.ts'

/** Reads the metadata and keys of the provider, for `muster doctor`; `why` says what is wrong. */
export async function tryProvider(
  settings: OidcSettings,
  proxy?: EgressProxy,
): Promise<{ issuer: string; why?: string }> {
  const issuer = settings.issuer.href
  try {
    const { keys } = await new Discovery(settings, proxy).read()
    if (keys === undefined) return { issuer, why: 'its metadata names no keys (jwks_uri)' }
    await keys.reload()
    return { issuer }
  } catch (error) {
    return { issuer, why: explainFailure(error) }
  }
}
