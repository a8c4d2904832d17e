import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { clockMs } from './clock.ts'
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

const agent = new Agent({ pipelining: 1 })

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
  const { count, window, connections } = load
  const result: Triggered = { sentAt: [], answeredAt: [], runIds: [] }
  const finalsBefore = await countFinals(load.modelUrl)
  let next = 0
  let finals = 0
  const over = new AbortController()
  const watching = (async () => {
    if (window >= count) return
    while (!over.signal.aborted) {
      finals = (await countFinals(load.modelUrl)) - finalsBefore
      await delay(5)
    }
  })()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (;;) {
        if (next >= count) return
        if (next - finals >= window) {
          await delay(5)
          continue
        }
        const index = next++
        const input = makeInput(load.firstTag + index, load.inputBytes)
        result.sentAt[index] = clockMs()
        result.runIds[index] = await triggerOne(load, input)
        result.answeredAt[index] = clockMs()
      }
    }),
  )
  over.abort()
  await watching
  return result
}

async function triggerOne(
  { url, workflowId, apiKey }: Pick<Load, 'url' | 'workflowId' | 'apiKey'>,
  input: string,
): Promise<string> {
  const { statusCode, body } = await request(`${url}/v1/workflows/${workflowId}/runs`, {
    dispatcher: agent,
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input }),
  })
  const text = await body.text()
  if (statusCode !== 202) throw new Error(`Trigger answered ${statusCode}: ${text}`)
  return (JSON.parse(text) as { data: { id: string } }).data.id
}

async function countFinals(modelUrl: string): Promise<number> {
  const { body } = await request(`${modelUrl}/finals`, { dispatcher: agent })
  return Number(await body.text())
}
