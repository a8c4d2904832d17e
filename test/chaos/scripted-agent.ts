import type { ServerResponse } from 'node:http'
import { startScriptedServer, type ScriptedServer } from '../../rig/scripted-server.ts'
import { callTools, complete, type ChatRequest } from '../test-app.ts'

/**
 * The model of all agents. Its answer depends only on the conversation, so that a turn that is
 * repeated after a crash makes the same calls. It names each action after its run, `#17# one`.
 */
export interface ScriptedAgent extends AsyncDisposable {
  /** For MUSTER_MODELS_FILE. */
  modelsFile: unknown
  calls(): number
}

export const agentModel = 'chaos/agent'

const longestThoughtMs = 800

export async function startScriptedAgent(): Promise<ScriptedAgent> {
  let calls = 0
  const server: ScriptedServer = await startScriptedServer((response) => {
    calls++
    // Recorded requests would fill the memory.
    const request = JSON.parse(server.requests.pop()?.body ?? '{}') as ChatRequest
    setTimeout(() => answer(request, response), longestThoughtMs * Math.random())
  })
  return {
    calls: () => calls,
    modelsFile: {
      providers: [{ id: 'chaos', base_url: `${server.url}/v1`, max_concurrency: 1_000 }],
      models: [{ id: agentModel, provider: 'chaos', model: 'agent', price_in: 1, price_out: 2 }],
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function answer({ messages, tools = [] }: ChatRequest, response: ServerResponse): void {
  const prompt = JSON.stringify(messages.find(({ role }) => role === 'user')?.content)
  const tag = /#\d+#/.exec(prompt)?.[0] ?? ''
  const turn = messages.filter(({ role }) => role === 'assistant').length
  const has = (name: string): boolean => tools.some((tool) => tool.function.name === name)
  const write = (text: string) => ({
    id: `${turn}-${text}`,
    name: 'sink__write',
    arguments: { text: `${tag} ${text}` },
  })
  if (!has('sink__write')) return complete(response, `${tag} was written about.`)
  const note = { id: '0-note', name: 'remember', arguments: { content: `${tag} has begun` } }
  const question = {
    id: '2-ask',
    name: 'request_input',
    arguments: { question: `How did ${tag} go?` },
  }
  const turns = [
    [{ id: '0-read', name: 'sink__read', arguments: {} }, note, write('one')],
    [write('two'), write('three')],
    has('request_input') ? [question] : [],
  ]
  const calls = turns[turn] ?? []
  if (calls.length > 0) callTools(response, calls)
  else complete(response, `${tag} was acted on.`)
}
