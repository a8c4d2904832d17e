import type { AllowedNetworks } from '../outbound/address.ts'

/** A model server on this machine that answers the list of models of OpenAI's API. */
export interface LocalServer {
  /** Id for a model provider. */
  id: string
  port: number
  models: string[]
}

const usual = [
  { id: 'ollama', port: 11_434 },
  { id: 'vllm', port: 8_000 },
  { id: 'lmstudio', port: 1_234 },
] as const

/** Looks for model servers at their usual ports, for at most half a second. */
export async function findLocalServers(
  places: readonly { id: string; port: number }[] = usual,
): Promise<LocalServer[]> {
  const signal = AbortSignal.timeout(500)
  const found = await Promise.all(
    places.map(async ({ id, port }) => {
      const models = await listModels(port, signal).catch(() => undefined)
      return models === undefined ? [] : [{ id, port, models }]
    }),
  )
  return found.flat()
}

/** Undefined if the answer is no list of models. */
async function listModels(port: number, signal: AbortSignal): Promise<string[] | undefined> {
  const answer = await fetch(urlOf(port) + '/models', { signal, redirect: 'error' })
  const { data } = (await answer.json()) as { data?: unknown }
  if (!answer.ok || !Array.isArray(data)) return undefined
  return data.flatMap((one: { id?: unknown } | null) =>
    typeof one?.id === 'string' && /^[\x21-\x7e]{1,76}$/.test(one.id) ? [one.id] : [],
  )
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}/v1`

/** Lines for a terminal: the servers that were found, and how to connect each. */
export function offerLocalServers(servers: LocalServer[], allowed: AllowedNetworks): string {
  if (servers.length === 0) return ''
  const restart = allowed.includes('127.0.0.1')
    ? ''
    : '  To use one, stop this service and start it with MUSTER_ALLOWED_NETWORKS=127.0.0.0/8, then:\n'
  const lines = servers.map(({ id, port, models }) => {
    const names = models.length === 0 ? 'no model yet' : models.slice(0, 3).join(', ')
    const set = `npx muster model-providers set ${id} --base-url ${urlOf(port)}`
    return `    ${set}   # ${names}\n`
  })
  return `  Model servers on this machine were found.\n${restart}${lines.join('')}`
}
