import { createAccount } from '../../server/accounts/create-account.ts'
import { builtInConnectors } from '../../server/connectors/built-ins.ts'
import { startMcpSink } from '../../rig/mcp-sink.ts'
import { callTools, complete, startTestApp, type ModelAnswer } from '../test-app.ts'
import { World } from '../world.ts'

/** In every text of the account that other accounts must not see. */
export const canary = 'zanzibar-canary-7391'

/** Ids by the path segment before them, such as `agents` or `memory`. */
export type Ids = Record<string, string[]>

/**
 * A running service for the fuzzer: an account with one of every resource and runs in each status,
 * and another account whose texts all contain the canary.
 */
export interface Ground extends AsyncDisposable {
  url: string
  keys: { admin: string; viewer: string; neighbour: string }
  /** Existing and deleted ids, including those created while fuzzing. */
  ids: Ids
  neighbourIds: Ids
  agentId: string
}

export async function openGround(): Promise<Ground> {
  await using stack = new AsyncDisposableStack()
  const sink = stack.use(await startMcpSink())
  // Fuzzed connectors must not connect to other machines.
  const nowhere = 'http://127.0.0.1:9'
  const env = Object.fromEntries(
    builtInConnectors.flatMap(({ api }) => (api === undefined ? [] : [[api.variable, nowhere]])),
  )
  const app = stack.use(await startTestApp({ env, answer }))
  const { adminKey: neighbour } = await createAccount(app.database, canary)
  const furnish = async (key: string, text: string): Promise<Ids> => {
    // Resources without objects here: no fine-tune provider is configured, only people have
    // sessions, and only operators see accounts.
    const without = ['/v1/fine-tunes', '/v1/sessions', '/v1/operator']
    const world = new World(app, { key, text, sinkUrl: sink.url, without })
    const ids: Ids = {}
    const keep = (path: string, made: string[]): void => {
      const noun = path.split('/').at(-2) ?? ''
      ids[noun] = [...(ids[noun] ?? []), made.at(-1) ?? '']
    }
    for (const [path, made] of Object.entries(await world.all())) keep(path, made)
    const agentId = await world.createAgent({ status: 'paused' })
    const failing = await world.createWorkflow(agentId)
    const plain = await world.create('workflows.create')
    keep('/v1/agents/:id', [agentId])
    for (const id of [failing, plain]) keep('/v1/workflows/:id', [id])
    for (const [input, workflowId] of [
      ['go', failing],
      ['go', plain],
      ['act', undefined],
      ['ask', undefined],
    ]) {
      const id = await world.createRun({ input: `${input} ${text}` }, workflowId)
      await app.rest(id, key)
      keep('/v1/runs/:id', [id])
    }
    ids['connectors']?.push('slack', 'email', 'hubspot', 'web')
    return ids
  }
  const ids = await furnish(app.key, 'own')
  const neighbourIds = await furnish(neighbour, canary)
  const { key: viewer } = await app.post('/v1/api-keys', { name: 'viewer', role: 'viewer' })
  const all = stack.move()
  return {
    url: app.url,
    keys: { admin: app.key, viewer, neighbour },
    ids,
    neighbourIds,
    agentId: ids['agents']?.[0] ?? '',
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
