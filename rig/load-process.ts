import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection, type Connection } from './connection.ts'
import { endChild } from './end-child.ts'
import { clockMs } from './measure.ts'
import { adminKey } from './muster-process.ts'

/**
 * A load client over HTTP in a process of its own: `connections` parallel requests, and at most
 * `window` runs that the model server has not finished. Each input starts with its run's tag, from
 * `firstTag` on.
 */
export interface LoadProcess extends AsyncDisposable {
  trigger(load: Load): Promise<Triggered>
}

export interface Load {
  url: string
  workflowId: string
  modelUrl: string
  count: number
  apiKey?: string
  firstTag?: number
  connections?: number
  /** All at once by default. */
  window?: number
  inputBytes?: number
  /** Sends an `Idempotency-Key` with each request, like the SDK. */
  isKeyed?: boolean
}

/** For each run, in the order of the tags. */
export interface Triggered {
  sentAt: number[]
  answeredAt: number[]
  runIds: string[]
}

export async function startLoadProcess(): Promise<LoadProcess> {
  const child = fork(import.meta.filename, { serialization: 'advanced', execArgv: [] })
  await once(child, 'spawn')
  return {
    async trigger(load) {
      const defaults = {
        apiKey: adminKey,
        firstTag: 0,
        connections: 64,
        inputBytes: 2_048,
        isKeyed: false,
      }
      child.send({ ...defaults, window: load.count, ...load } satisfies Required<Load>)
      const [answer] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
        Triggered | number | null,
      ]
      if (answer === null || typeof answer === 'number') throw new Error('The load client ended')
      return answer
    },
    [Symbol.asyncDispose]: () => endChild(child),
  }
}

const filler = 'A sentence of the text that the crew shall work on, with facts. '

/**
 * A run's input of this many bytes, starting with the tag by which the model server recognizes it.
 */
export function makeInput(tag: number, bytes: number): string {
  return `#${tag}# ${filler.repeat(Math.ceil(bytes / filler.length))}`.slice(0, bytes)
}

if (import.meta.main) {
  process.on('message', (load: Required<Load>) => {
    trigger(load).then(
      (triggered) => process.send?.(triggered),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
  process.on('disconnect', () => process.exit())
}

async function trigger(load: Required<Load>): Promise<Triggered> {
  const { count, window } = load
  const headers = { authorization: `Bearer ${load.apiKey}`, 'content-type': 'application/json' }
  const model = await openConnection(load.modelUrl)
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => openConnection(load.url, headers)),
  )
  const result: Triggered = { sentAt: [], answeredAt: [], runIds: [] }
  const finalsBefore = await countFinals(model)
  let next = 0
  let finals = 0
  let looked = Promise.withResolvers<void>()
  const over = new AbortController()
  const watching = (async () => {
    if (window >= count) return
    while (!over.signal.aborted) {
      finals = (await countFinals(model)) - finalsBefore
      looked.resolve()
      looked = Promise.withResolvers()
      await delay(5)
    }
  })()
  await Promise.all(
    connections.map(async (connection) => {
      for (;;) {
        if (next >= count) return
        if (next - finals >= window) {
          await looked.promise
          continue
        }
        const index = next++
        const input = makeInput(load.firstTag + index, load.inputBytes)
        result.sentAt[index] = clockMs()
        result.runIds[index] = await triggerOne(connection, load, input)
        result.answeredAt[index] = clockMs()
      }
    }),
  )
  over.abort()
  await watching
  for (const connection of [model, ...connections]) connection.close()
  return result
}

async function triggerOne(
  connection: Connection,
  { workflowId, isKeyed }: Pick<Required<Load>, 'workflowId' | 'isKeyed'>,
  input: string,
): Promise<string> {
  const path = `/v1/workflows/${workflowId}/runs`
  const headers = isKeyed ? { 'idempotency-key': randomUUID() } : undefined
  const { status, body } = await connection.send('POST', path, JSON.stringify({ input }), headers)
  if (status !== 202) throw new Error(`Trigger answered ${status}: ${body}`)
  return (JSON.parse(body) as { data: { id: string } }).data.id
}

async function countFinals(model: Connection): Promise<number> {
  const { body } = await model.send('GET', '/finals')
  return Number(body)
}
