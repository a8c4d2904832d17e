import { follow, type Service } from './follow.ts'
import { createClient, createConfig } from './generated/hey-api/client/index.ts'
import { agentsCreate, agentsList, agentsRetrieve } from './generated/hey-api/sdk.gen.ts'

export async function exercise({ baseUrl, apiKey }: Service): Promise<string[]> {
  const client = createClient(createConfig({ baseUrl, auth: apiKey }))
  for (const name of ['a', 'b', 'c']) {
    const body = { name, role: 'r', systemPrompt: 's' }
    const headers = { 'Idempotency-Key': `hey-api ${name}` }
    const { error } = await agentsCreate({ client, body, headers })
    if (error !== undefined) throw new Error(error.error.message)
  }
  const { error } = await agentsRetrieve({ client, path: { id: 'agt_x' } })
  if (error?.error.code !== 'not_found') throw new Error('no agent agt_x was expected')
  return follow(async (after) => {
    const query = { limit: 1, ...(after && { after }) }
    const { data, response } = await agentsList({ client, query })
    if (response === undefined) throw new Error('an answer was expected')
    return { names: (data?.data ?? []).map(({ name }) => name), response }
  })
}
