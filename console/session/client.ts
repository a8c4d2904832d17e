import { Muster } from '../../sdk/client.ts'
import { watchedFetch } from './watched-fetch.ts'
import { keepingKeys } from './unanswered.ts'

/** With a key, or without one as the person whose session cookie the browser has. */
export function createClient(key: string | undefined): Muster {
  return new Muster({
    ...(key === undefined ? {} : { apiKey: key }),
    baseUrl: location.origin,
    fetch: keepingKeys(watchedFetch),
    maxRetries: 1,
    timeoutMs: 30_000,
  })
}
