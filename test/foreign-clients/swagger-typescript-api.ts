import { follow, type Service } from './follow.ts'
import { Api } from './generated/swagger-typescript-api/api.ts'

export async function exercise({ baseUrl, apiKey }: Service): Promise<string[]> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const api = new Api({ baseUrl, baseApiParams: { headers } })
  for (const name of ['a', 'b', 'c']) {
    const key = { headers: { ...headers, 'Idempotency-Key': `swagger-typescript-api ${name}` } }
    await api.v1.agentsCreate({ name, role: 'r', systemPrompt: 's' }, key)
  }
  const refused = await api.v1.agentsRetrieve('agt_x').catch((failed) => failed)
  if (refused.error.error.code !== 'not_found') throw new Error('no agent agt_x was expected')
  return follow(async (after) => {
    const response = await api.v1.agentsList({ limit: 1, ...(after && { after }) })
    return { names: response.data.data.map(({ name }) => name), response }
  })
}
