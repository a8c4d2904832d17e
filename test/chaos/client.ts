import { Agent, request } from 'undici'
import { adminKey } from '../../rig/muster-process.ts'
import type { Slot } from './slot.ts'

/** Calls any running API process, like a load balancer. */
export interface Client extends AsyncDisposable {
  /** Undefined if there was no response, so that it is unknown what was done. */
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Answer | undefined>
}

export interface CallOptions {
  idempotencyKey?: string | undefined
  /** By default the admin's key of the first account. */
  apiKey?: string
  /** Much longer than a response takes normally. */
  patienceMs?: number
}

export interface Answer {
  status: number
  /** To be asked again: the service could not, or it had too much to do and says when. */
  isPutOff: boolean
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  body: any
}

export function createClient(slots: readonly Slot[]): Client {
  const dispatcher = new Agent({ connections: 64, pipelining: 1 })
  return {
    async call(method, path, body, options = {}) {
      const { idempotencyKey, apiKey = adminKey, patienceMs = 15_000 } = options
      const urls = slots.flatMap((slot) => slot.up()?.url || [])
      const url = urls[Math.floor(urls.length * Math.random())]
      if (url === undefined) return undefined
      try {
        const {
          statusCode: status,
          headers,
          body: stream,
        } = await request(url + path, {
          method,
          dispatcher,
          signal: AbortSignal.timeout(patienceMs),
          headers: {
            authorization: `Bearer ${apiKey}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          },
          body: body === undefined ? null : JSON.stringify(body),
        })
        const seconds = Number(headers['retry-after'] ?? NaN)
        const isPutOff = status >= 500 || (status === 429 && seconds > 0 && seconds <= 10)
        return { status, isPutOff, body: await stream.json() }
      } catch {
        return undefined
      }
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}
