import { Muster } from '../../sdk/client.ts'
import { Offline } from '../ui/form/fault.ts'
import { noteServerTime } from '../ui/text/server-time.ts'
import { watchedFetch } from './watched-fetch.ts'
import { keepingKeys } from './unanswered.ts'

/** A client with an API key, or with the browser's session cookie. */
export function createClient(key: string | undefined): Muster {
  return new Muster({
    ...(key === undefined ? {} : { apiKey: key }),
    baseUrl: location.origin,
    fetch: keepingKeys(namingOffline(takingTime(watchedFetch))),
    maxRetries: 1,
    timeoutMs: 30_000,
  })
}

/** Sets the page's clock by the `Date` of each response. */
function takingTime(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    noteServerTime(response.headers.get('date'))
    return response
  }
}

/** Names the reason when a request fails because this device has no connection. */
function namingOffline(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    try {
      return await send(input, init)
    } catch (cause) {
      if (navigator.onLine || init?.signal?.aborted === true) throw cause
      throw new Offline('This device is offline', { cause })
    }
  }
}
