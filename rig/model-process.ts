import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { endChild } from './end-child.ts'
import { clockMs } from './measure.ts'
import { benchModels, writeModelsFile } from './models-file.ts'

/**
 * The loopback model server in a process of its own. It acts as an OpenAI-compatible endpoint with
 * minimal CPU time: HTTP is parsed by hand. It records when each call arrived and when its answer
 * left. A call is recognized by the tag `#<number>#` in the run's input; one that contains an
 * earlier output is the second step. The second step first asks a person, if it is offered the tool
 * for that.
 */
export interface ModelProcess extends AsyncDisposable {
  url: string
  setLatency(latencyMs: number, jitter?: number): void
  /** Returns the calls since the last time. */
  takeCalls(): Promise<Call[]>
  /** Writes a models file with the model `bench`; returns its path. */
  writeModelsFile(folder: string): Promise<string>
}

export async function startModelProcess(latencyMs = 0): Promise<ModelProcess> {
  const child = fork(import.meta.filename, { serialization: 'advanced', execArgv: [] })
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  const url = `http://127.0.0.1:${port}`
  const setLatency = (ms: number, jitter = 0): void => {
    child.send({ latencyMs: ms, jitter } satisfies Latency)
  }
  setLatency(latencyMs)
  return {
    url,
    setLatency,
    async takeCalls() {
      const answer = once(child, 'message')
      child.send('calls')
      const [calls] = (await answer) as [Call[]]
      return calls
    },
    writeModelsFile: (folder) => writeModelsFile(folder, benchModels(url)),
    [Symbol.asyncDispose]: () => endChild(child),
  }
}

export interface Call {
  tag: number
  step: number
  arrivedAt: number
  leftAt: number
}

export interface Latency {
  latencyMs: number
  /** Fraction of the latency by which it varies, up and down. */
  jitter: number
}

const calls: Call[] = []
let latency: Latency = { latencyMs: 0, jitter: 0 }
let finals = 0

const text = 'The plan has three points, each with the facts that support it. '.repeat(16)
const answer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_780_000_000,
  model: 'bench',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 500, completion_tokens: 250, total_tokens: 750 },
})

const question = JSON.stringify({
  ...JSON.parse(answer),
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_question',
            type: 'function',
            function: { name: 'request_input', arguments: '{"question":"Shall I go on?"}' },
          },
        ],
      },
    },
  ],
})

function respond(socket: Socket, request: string): void {
  if (request.startsWith('GET /finals')) return send(socket, String(finals))
  const call: Call = {
    tag: Number(/#(\d+)#/.exec(request)?.[1] ?? -1),
    step: request.includes('## Output of') ? 1 : 0,
    arrivedAt: clockMs(),
    leftAt: 0,
  }
  calls.push(call)
  const finish = (): void => {
    if (socket.destroyed) return
    call.leftAt = clockMs()
    finals += call.step
    send(socket, call.step === 1 && asksFirst(request) ? question : answer)
  }
  const { latencyMs, jitter } = latency
  if (latencyMs === 0) finish()
  else setTimeout(finish, latencyMs * (1 + jitter * (2 * Math.random() - 1)))
}

function asksFirst(request: string): boolean {
  return request.includes('"request_input"') && !request.includes('"role":"tool"')
}

function send(socket: Socket, body: string): void {
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
}

function receive(socket: Socket): void {
  let received = ''
  socket.setEncoding('latin1')
  socket.on('error', () => socket.destroy())
  socket.on('data', (part: string) => {
    received += part
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = Number(/\ncontent-length: *(\d+)/i.exec(received.slice(0, headEnd))?.[1] ?? 0)
      const end = headEnd + 4 + length
      if (received.length < end) return
      respond(socket, received.slice(0, end))
      received = received.slice(end)
    }
  })
}

if (import.meta.main) {
  process.on('message', (message: Latency | 'calls') => {
    if (message === 'calls') process.send?.(calls.splice(0))
    else latency = message
  })
  process.on('disconnect', () => process.exit())
  const server = createServer({ noDelay: true }, receive)
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
}
