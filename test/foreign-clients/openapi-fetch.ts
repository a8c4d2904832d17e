import createClient from 'openapi-fetch'
import { follow, type Service } from './follow.ts'
import type { components, paths } from './generated/openapi-fetch/schema.ts'

type Agent = components['schemas']['Agent']

export async function exercise({ baseUrl, apiKey }: Service): Promise<string[]> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const client = createClient<paths>({ baseUrl, headers })
  for (const name of ['a', 'b', 'c']) {
    const body = { name, role: 'r', systemPrompt: 's' }
    const params = { header: { 'Idempotency-Key': `openapi-fetch ${name}` } }
    const { error } = await client.POST('/v1/agents', { body, params })
    if (error !== undefined) throw new Error(error.error.message)
  }
  const { error } = await client.GET('/v1/agents/{id}', { params: { path: { id: 'agt_x' } } })
  if (error?.error.code !== 'not_found') throw new Error('no agent agt_x was expected')
  return follow(async (after) => {
    const query = { limit: 1, ...(after && { after }) }
    const { data, response } = await client.GET('/v1/agents', { params: { query } })
    return { names: (data?.data ?? []).map((agent: Agent) => agent.name), response }
  })
}
