import { FormData as UndiciForm } from 'undici'
import { createTransport, type Transport } from '../../models/transport.ts'
import { timeouts } from './contract.ts'

/** How calls travel: bounded in connections, time and size of the answer, as those of models are. */
export function createProviderTransport(): Transport {
  const transport = createTransport({ maxConcurrency: 64, timeoutMs: timeouts.upload })
  return {
    ...transport,
    fetch: async (input, init) => {
      if (!(init?.body instanceof FormData)) return transport.fetch(input, init)
      // undici sends its own kind of form piece by piece, so that no copy of a file is made.
      const form = new UndiciForm()
      for (const [name, value] of init.body) form.append(name, value)
      return transport.fetch(input, { ...init, body: form })
    },
  }
}
