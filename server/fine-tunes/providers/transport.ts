import { createTransport, type Transport } from '../../models/transport.ts'
import { timeouts } from './contract.ts'

/** How calls travel: bounded in connections, time and size of the answer, as those of models are. */
export function createProviderTransport(): Transport {
  const transport = createTransport({ maxConcurrency: 64, timeoutMs: timeouts.upload })
  return {
    ...transport,
    fetch: async (input, init) => {
      if (!(init?.body instanceof FormData)) return transport.fetch(input, init)
      // The transport takes bytes: forms are written out here, part by part to let others in between.
      const form = new Response(init.body)
      const headers = new Headers(init.headers)
      headers.set('content-type', form.headers.get('content-type') ?? '')
      const parts = await Array.fromAsync(form.body as AsyncIterable<Uint8Array>)
      return transport.fetch(input, { ...init, headers, body: Buffer.concat(parts) })
    },
  }
}
