import { Agent, request } from 'undici'
import { adminKey } from './muster-process.ts'

/** API calls of the benchmarks, over one keep-alive connection each. */
const agent = new Agent({ pipelining: 1 })

export async function createWorkflow(
  url: string,
  model = 'bench',
  apiKey = adminKey,
  settings: { human_in_the_loop?: { enabled: boolean } } = {},
): Promise<string> {
  const workflow = {
    name: 'Benchmark',
    model,
    crew: [
      { role: 'planner', systemPrompt: 'Plan an answer to the text in three points.' },
      { role: 'writer', systemPrompt: 'Write the answer, following the plan.' },
    ],
    ...settings,
  }
  return (await send(url, 'POST', '/v1/workflows', workflow, apiKey)).id
}

export interface BenchWebhook {
  url: string
  events: string[]
  workflow_id?: string
}

export async function createWebhook(
  url: string,
  webhook: BenchWebhook,
  apiKey = adminKey,
): Promise<{ id: string; secret: string }> {
  return send(url, 'POST', '/v1/webhooks', webhook, apiKey)
}

export async function setWebhookActive(url: string, id: string, active: boolean): Promise<void> {
  await send(url, 'PATCH', `/v1/webhooks/${id}`, { active })
}

/** Answers the question that a run waits for. */
export async function answerRun(url: string, runId: string): Promise<void> {
  await send(url, 'POST', `/v1/runs/${runId}/respond`, { action: 'input', input: 'Go on.' })
}

export async function triggerRun(
  url: string,
  workflowId: string,
  input: string,
  apiKey = adminKey,
): Promise<string> {
  const { id } = await send(url, 'POST', `/v1/workflows/${workflowId}/runs`, { input }, apiKey)
  return id
}

/** Duration of a GET in milliseconds; the status must be 200. */
export async function timeGet(url: string, path: string): Promise<number> {
  const began = performance.now()
  await exchange(url, 'GET', path)
  return performance.now() - began
}

async function send(
  url: string,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  content?: unknown,
  apiKey = adminKey,
): Promise<{ id: string; secret: string }> {
  const text = await exchange(url, method, path, content, apiKey)
  return (JSON.parse(text) as { data: { id: string; secret: string } }).data
}

async function exchange(
  url: string,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  content?: unknown,
  apiKey = adminKey,
): Promise<string> {
  const { statusCode, body } = await request(url + path, {
    dispatcher: agent,
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: content === undefined ? null : JSON.stringify(content),
  })
  const text = await body.text()
  if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode}: ${text}`)
  return text
}
