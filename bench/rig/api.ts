import { Agent, request } from 'undici'
import { adminKey } from './muster-process.ts'

/** What the benchmarks ask of the API, over one keep-alive connection each. */
const agent = new Agent({ pipelining: 1 })

export async function createWorkflow(url: string, model = 'bench'): Promise<string> {
  const { id } = await send(url, 'POST', '/v1/workflows', {
    name: 'Benchmark',
    model,
    crew: [
      { role: 'planner', systemPrompt: 'Plan an answer to the text in three points.' },
      { role: 'writer', systemPrompt: 'Write the answer, following the plan.' },
    ],
  })
  return id
}

export async function triggerRun(url: string, workflowId: string, input: string): Promise<string> {
  const { id } = await send(url, 'POST', `/v1/workflows/${workflowId}/runs`, {
    input,
  })
  return id
}

/** Duration of a GET in milliseconds; the answer has to be a 200. */
export async function timeGet(url: string, path: string): Promise<number> {
  const began = performance.now()
  await send(url, 'GET', path)
  return performance.now() - began
}

async function send(
  url: string,
  method: 'GET' | 'POST',
  path: string,
  content?: unknown,
): Promise<{ id: string }> {
  const { statusCode, body } = await request(url + path, {
    dispatcher: agent,
    method,
    headers: {
      authorization: `Bearer ${adminKey}`,
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: content === undefined ? null : JSON.stringify(content),
  })
  const text = await body.text()
  if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode}: ${text}`)
  return (JSON.parse(text) as { data: { id: string } }).data
}
