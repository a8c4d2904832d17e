import { setTimeout as delay } from 'node:timers/promises'
import { clockMs } from './clock.ts'
import { openConnection, type Connection } from './connection.ts'
import { makeInput } from './run-input.ts'

/**
 * A process that triggers runs over HTTP: `connections` requests at a time, and never more than
 * `window` runs that the model server has not seen the end of. Each input begins with its tag.
 */
export interface Load {
  url: string
  apiKey: string
  workflowId: string
  modelUrl: string
  firstTag: number
  count: number
  connections: number
  window: number
  inputBytes: number
}

/** Per run, in the order of the tags. */
export interface Triggered {
  sentAt: number[]
  answeredAt: number[]
  runIds: string[]
}

process.on('message', (load: Load) => {
  trigger(load).then(
    (triggered) => process.send?.(triggered),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())

async function trigger(load: Load): Promise<Triggered> {
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
        result.runIds[index] = await triggerOne(connection, load.workflowId, input)
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
  workflowId: string,
  input: string,
): Promise<string> {
  const path = `/v1/workflows/${workflowId}/runs`
  const { status, body } = await connection.send('POST', path, JSON.stringify({ input }))
  if (status !== 202) throw new Error(`Trigger answered ${status}: ${body}`)
  return (JSON.parse(body) as { data: { id: string } }).data.id
}

async function countFinals(model: Connection): Promise<number> {
  const { body } = await model.send('GET', '/finals')
  return Number(body)
}
