import { createServer, request as send, type ServerResponse } from 'node:http'
import { closeServer, listenOnLoopback } from '../../rig/loopback.ts'
import { complete, startTestApp, type ModelAnswer, type TestApp } from '../test-app.ts'

/**
 * A service whose workflows are the tools that `@modelcontextprotocol/conformance` calls, behind an address that adds an
 * API key, because the suite sends none.
 */
export interface McpStage extends AsyncDisposable {
  app: TestApp
  /** The MCP server. */
  url: string
}

const simpleText = 'This is a simple text response for testing.'
/** Longer than calls wait before they are answered with a task. */
const slowMs = 1_500
const stepMs = 50

/** What a tool does: the words of its system prompt. */
type Manner = 'answers' | 'greets' | 'takes long' | 'fails late' | 'fails'

const answer: ModelAnswer = ({ messages }, response) => {
  const manner = messages[0]?.content.split('\n', 1)[0] as Manner
  switch (manner) {
    case 'fails':
      return fail(response)
    case 'fails late':
      return void setTimeout(() => fail(response), slowMs)
    case 'takes long':
      return void setTimeout(() => complete(response, 'computed'), slowMs)
    case 'greets': {
      const [, name = ''] = /"name": *"(.*?)"/.exec(messages.at(-1)?.content ?? '') ?? []
      return complete(response, `Hello, ${name}!`)
    }
    case 'answers':
      return void setTimeout(() => complete(response, simpleText), stepMs)
  }
}

function fail(response: ServerResponse): void {
  const error = { message: 'This tool intentionally returns an error for testing' }
  response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}

const any: object = { type: 'object', properties: {} }

export async function openMcpStage(): Promise<McpStage> {
  await using stack = new AsyncDisposableStack()
  let app: TestApp | undefined
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const authorization = `Bearer ${app?.key}`
    const target = new URL(url ?? '/', app?.url)
    const onward = send(target, { method, headers: { ...headers, authorization } }, (answered) => {
      outgoing.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  const port = await listenOnLoopback(proxy)
  stack.defer(() => closeServer(proxy))
  const origin = `http://127.0.0.1:${port}`
  app = stack.use(await startTestApp({ answer, env: { MUSTER_PUBLIC_URL: origin } }))
  const service = app
  const tool = (name: string, manner: Manner, { steps = 1, input_schema = any } = {}) =>
    service.createWorkflow({
      crew: Array.from({ length: steps }, (_, at) => ({ role: `r${at}`, systemPrompt: manner })),
      input_schema,
      expose_mcp: { name },
    })
  await tool('test_simple_text', 'answers')
  await tool('test_streaming_elicitation', 'answers')
  await tool('test_logging_tool', 'answers')
  await tool('test_tool_with_progress', 'answers', { steps: 3 })
  await tool('test_error_handling', 'fails')
  await tool('greet', 'greets', { input_schema: named })
  await tool('slow_compute', 'takes long')
  await tool('failing_job', 'fails late')
  const all = stack.move()
  return { app, url: `${origin}/mcp`, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const named = { type: 'object', properties: { name: { type: 'string' } } }
