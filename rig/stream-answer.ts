import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'

/** How a chat completion is streamed. */
export interface StreamOptions {
  /** UTF-16 units per chunk; chunks split characters as well. */
  chunkUnits?: number
  /** Called before each chunk except the first; by default waits one turn of the event loop. */
  pause?: () => Promise<unknown>
  /** Breaks the connection after this many units. */
  breakAfter?: number
  usage?: object
}

/** For tests and benchmarks only: streams a chat completion as OpenAI-compatible servers do. */
export async function streamAnswer(
  response: ServerResponse,
  text: string,
  {
    chunkUnits = 37,
    pause = () => setImmediate(),
    breakAfter = Infinity,
    usage,
  }: StreamOptions = {},
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (choice: object, more: object = {}): void => {
    const body = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'echo', ...more }
    const choices = [{ index: 0, finish_reason: null, ...choice }]
    response.write(`data: ${JSON.stringify({ ...body, choices })}\n\n`)
  }
  for (let at = 0; at < text.length && !response.destroyed; at += chunkUnits) {
    if (at > breakAfter) return void response.destroy()
    if (at > 0) await pause()
    chunk({ delta: { role: 'assistant', content: text.slice(at, at + chunkUnits) } })
  }
  chunk({ delta: {}, finish_reason: 'stop' }, usage === undefined ? {} : { usage })
  response.end('data: [DONE]\n\n')
}
