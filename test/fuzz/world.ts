import { createAccount } from '../../server/accounts/create-account.ts'
import { startMcpSink } from '../../rig/mcp-sink.ts'
import { callApi, callTools, complete, startTestApp, type ModelAnswer } from '../test-app.ts'

/** In every text of the account that nobody else may see. */
export const canary = 'zanzibar-canary-7391'

/** Begins what is stored as a credential and never comes back. */
export const secret = 'xoxb-secret-8842'

/** What a path's id is of. */
export const nouns = [
  'workflows',
  'agents',
  'webhooks',
  'runs',
  'api-keys',
  'connectors',
  'fine-tunes',
  'users',
  'invitations',
  'sessions',
] as const
export type Noun = (typeof nouns)[number]

/**
 * A service at work for the fuzzing: an account with one of everything, runs in each status, and a
 * neighbour whose texts all hold the canary.
 */
export interface World extends AsyncDisposable {
  url: string
  keys: { admin: string; viewer: string; neighbour: string }
  /** Ids that exist or did; what is created while fuzzing is added. */
  ids: Record<Noun | 'memory' | 'deliveries', string[]>
  neighbourIds: Record<Noun | 'memory' | 'deliveries', string[]>
  agentId: string
}

export async function makeWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const sink = stack.use(await startMcpSink())
  // Nothing that a fuzzed connector is given leads off this machine.
  const nowhere = 'http://127.0.0.1:9'
  const env = {
    SLACK_BASE_URL: nowhere,
    HUBSPOT_BASE_URL: nowhere,
    BRAVE_SEARCH_BASE_URL: nowhere,
  }
  const app = stack.use(await startTestApp({ env, answer }))
  const neighbour = await createAccount(app.database, canary)
  const made = await furnish(app.url, app.key, sink.url, 'own')
  const theirs = await furnish(app.url, neighbour.adminKey, sink.url, canary)
  const all = stack.move()
  return {
    url: app.url,
    keys: { admin: app.key, viewer: made.viewerKey, neighbour: neighbour.adminKey },
    ids: made.ids,
    neighbourIds: theirs.ids,
    agentId: made.ids.agents[0] as string,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Asks a person, acts, or answers, as the run's input says. */
const answer: ModelAnswer = (request, response) => {
  const isFirst = request.messages.at(-1)?.role === 'user'
  const input = String(request.messages.find(({ role }) => role === 'user')?.content)
  if (isFirst && input.startsWith('ask')) {
    return callTools(response, [{ name: 'request_input', arguments: { question: 'Which?' } }])
  }
  if (isFirst && input.startsWith('act')) {
    return callTools(response, [{ name: 'sink__write', arguments: { text: 'x' } }])
  }
  complete(response, `done ${input.slice(0, 100)}`)
}

async function furnish(url: string, key: string, sinkUrl: string, text: string) {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await callApi(url, key, method, path, body === undefined ? {} : { body })
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }
  const post = (path: string, body?: unknown) => send('POST', path, body)

  await send('PUT', '/v1/connectors/sink', { kind: 'mcp', url: sinkUrl, headers: { 'x-a': text } })
  await send('PUT', '/v1/connectors/slack', { token: `${secret}-${text}` })
  const agent = await post('/v1/agents', {
    name: text,
    role: text,
    systemPrompt: text,
    connectors: ['sink'],
    capabilities: ['sink.write'],
  })
  const paused = await post('/v1/agents', {
    name: text,
    role: text,
    systemPrompt: text,
    status: 'paused',
  })
  const crewOf = (agentId: string) => [{ role: text, systemPrompt: text, agentId }]
  const workflow = await post('/v1/workflows', {
    name: text,
    crew: crewOf(agent.id),
    human_in_the_loop: { enabled: true },
  })
  const plain = await post('/v1/workflows', { name: text })
  const failing = await post('/v1/workflows', { name: text, crew: crewOf(paused.id) })
  const runs: string[] = []
  for (const [workflowId, input] of [
    [plain.id, 'go'],
    [failing.id, 'go'],
    [workflow.id, 'act'],
    [workflow.id, 'ask'],
    [workflow.id, 'go'],
  ]) {
    const run = await post(`/v1/workflows/${workflowId}/runs`, { input: `${input} ${text}` })
    await send('GET', `/v1/runs/${run.id}?wait=10`)
    runs.push(run.id)
  }
  const webhook = await post('/v1/webhooks', {
    url: `https://127.0.0.1:9/${text}`,
    events: ['run.failed'],
    description: text,
  })
  const delivery = await post(`/v1/webhooks/${webhook.id}/test`)
  const note = await post(`/v1/agents/${agent.id}/memory`, { content: text })
  const roleNote = await post(`/v1/workflows/${plain.id}/memory`, {
    role: 'planner',
    content: text,
  })
  const viewer = await post('/v1/api-keys', { name: text, role: 'viewer' })
  const [joining, invited] = await Promise.all(
    ['joined', 'invited'].map((name) =>
      post('/v1/invitations', { email: `${name}-${text}@example.com`, role: 'member' }),
    ),
  )
  const token = new URL(joining.link).hash.slice(1)
  await post('/v1/invitations/accept', { token, name: text, password: 'quiet harbour in winter' })
  const users: { id: string }[] = await send('GET', '/v1/users')
  const spare = await post('/v1/api-keys', { name: text, role: 'viewer' })
  return {
    viewerKey: viewer.key as string,
    ids: {
      workflows: [workflow.id, plain.id, failing.id],
      agents: [agent.id, paused.id],
      webhooks: [webhook.id],
      runs,
      'api-keys': [spare.id],
      connectors: ['sink', 'slack', 'email', 'hubspot', 'web'],
      // No provider is configured, so none can be made; their routes refuse.
      'fine-tunes': [],
      users: users.map(({ id }) => id),
      invitations: [invited.id],
      // Only people have sessions, and see their own.
      sessions: [],
      memory: [note.id, roleNote.id],
      deliveries: [delivery.id],
    } as World['ids'],
  }
}
