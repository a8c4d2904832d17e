import { startMailServer, type MailServer } from '../cli/operate/mail-server.ts'
import { clerk, startMcpSink, type McpSink } from '../rig/mcp-sink.ts'
import { fixture, prepare } from './fixture.ts'
import type { Answer } from './api-client.ts'
import {
  callTools,
  complete,
  startTestApp,
  toolResults,
  type ModelAnswer,
  type TestApp,
  type TestAppOptions,
} from './test-app.ts'

/** A service, the MCP server `sink` and an agent that may use it, whose actions need approval. */
export interface ClerkAtWork {
  app: TestApp
  sink: McpSink
  agentId: string
  /** A workflow with the agent as its crew. */
  createWorkflow: (hitl?: object, fields?: object) => Promise<string>
  /** Starts a run whose agent makes these calls in its first turn; returns it once it is idle. */
  start: (calls: ToolCall[], hitl?: object, fields?: object) => Promise<Answer['body']>
  respond: (runId: string, body: object, key?: string) => Promise<Answer>
  /** Sends an answer that must succeed; returns the run once it is idle again. */
  answered: (runId: string, body: object) => Promise<Answer['body']>
}

export type ToolCall = Parameters<typeof callTools>[1][number]

/** For the tests of the calling suite. Tools in `safe` only read. */
export function clerkFixture(options: TestAppOptions = {}, safe: string[] = ['read']): ClerkAtWork {
  const sink = fixture(() => startMcpSink())
  const app = fixture(() => startTestApp(options))
  const at: ClerkAtWork = {
    app,
    sink,
    agentId: '',
    createWorkflow: (hitl = { enabled: true }, fields = {}) => {
      const crew = [{ role: 'clerk', systemPrompt: 'act', agentId: at.agentId }]
      return app.createWorkflow({ crew, human_in_the_loop: hitl, ...fields })
    },
    start: async (calls, hitl, fields) => {
      app.answer = actOnce(...calls)
      return app.run(await at.createWorkflow(hitl, fields))
    },
    respond: (runId, body, key) =>
      app.call('POST', `/v1/runs/${runId}/respond`, { body, ...(key !== undefined && { key }) }),
    answered: async (runId, body) => {
      await app.post(`/v1/runs/${runId}/respond`, body)
      return app.rest(runId)
    },
  }
  prepare(async () => {
    await app.put('/v1/connectors/sink', { kind: 'mcp', url: sink.url, safe_tools: safe })
    at.agentId = await app.createAgent(clerk)
  })
  return at
}

/** Calls tools in the first turn, and repeats their results in the second. */
export function actOnce(...calls: ToolCall[]): ModelAnswer {
  return (request, response) => {
    if (request.messages.at(-1)?.role !== 'tool') callTools(response, calls)
    else complete(response, `done: ${toolResults(request).join(' | ')}`)
  }
}

/** The sink's action that needs approval. */
export const write = (text: string, id?: string): ToolCall => ({
  name: 'sink__write',
  arguments: { text },
  ...(id !== undefined && { id }),
})
export const read: ToolCall = { name: 'sink__read', arguments: {} }
export const ask = (question: string): ToolCall => ({
  name: 'request_input',
  arguments: { question },
})

/** A service whose agents send email with `email.send`, through a mail server on loopback. */
export function mailFixture(): { app: TestApp; mail: MailServer } {
  const mail = fixture(() => startMailServer())
  const env = () => ({
    MUSTER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MUSTER_EMAIL_FROM: 'Muster <muster@example.com>',
  })
  return { mail, app: fixture(() => startTestApp({ env: env() })) }
}
