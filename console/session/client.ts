import { Muster } from '../../sdk/client.ts'
import { watchedFetch } from './watched-fetch.ts'
import { keepingKeys } from './unanswered.ts'

/** A client with an API key, or with the browser's session cookie. */
export function createClient(key: string | undefined): Muster {
  return new Muster({
    ...(key === undefined ? {} : { apiKey: key }),
    baseUrl: location.origin,
    fetch: keepingKeys(watchedFetch),
    maxRetries: 1,
    timeoutMs: 30_000,
  })
}
