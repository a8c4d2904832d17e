import { once } from 'node:events'
import { request, type ClientRequest } from 'node:http'
import { startEmbeddedServer } from '../server/embedded/server.ts'
import { createAccount } from '../server/accounts/create-account.ts'
import { createDatabase, createPool } from '../server/db/client.ts'
import { figure, type Figure } from './report.ts'
import { residentBytes } from '../rig/memory.ts'
import { startMuster } from '../rig/muster-process.ts'
import { percentile, round } from '../rig/measure.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'

/** `heldRequests` of an account (server/start/limits.ts). */
const maxHeldRequests = 1_000

const streams = 10_000
const targetMs = 100

/** 10,000 event streams on queued runs, over two API processes: memory, and the latency of others. */
export async function manyStreams(): Promise<Figure[]> {
  await using folder = await makeScratchFolder()
  await using postgres = await startEmbeddedServer({ dataDir: folder.dataDir })
  const env = { DATABASE_URL: postgres.url }
  await using first = await startMuster({ role: 'api', folder: folder.path, env })
  await using second = await startMuster({ role: 'api', folder: folder.path, env })
  const urls = [first.url, second.url]
  const before = await resident(urls)

  const open: ClientRequest[] = []
  let key = ''
  try {
    const database = createDatabase(createPool(postgres.url, 1))
    const accounts = streams / maxHeldRequests / urls.length
    for (let account = 0; account < accounts; account++) {
      key = (await createAccount(database, `streams ${account}`)).adminKey
      const path = `/v1/runs/${await queueRun(first.url, key)}/events`
      for (const url of urls) {
        for (let count = 0; count < maxHeldRequests; count += 100) {
          const some = Array.from({ length: 100 }, () => openStream(url + path, key))
          open.push(...(await Promise.all(some)))
        }
      }
    }
    await database.destroy()
    const bytes = ((await resident(urls)) - before) / open.length
    const latencies: number[] = []
    for (let count = 0; count < 300; count++) {
      const beganAt = performance.now()
      await ask(`${urls[count % 2]}/v1/workflows`, key)
      latencies.push(performance.now() - beganAt)
    }
    const p99 = percentile(latencies, 0.99)
    return [
      figure(
        `${open.length} open event streams, two processes: memory of one`,
        `${round(bytes / 1024)} KB`,
      ),
      figure(
        `${open.length} open event streams: GET /v1/workflows of others, p50 / p99`,
        `${round(percentile(latencies, 0.5))} / ${round(p99)} ms`,
        `p99 ≤ ${targetMs} ms`,
        p99 <= targetMs,
      ),
    ]
  } finally {
    for (const one of open) one.destroy()
  }
}

async function resident(urls: string[]): Promise<number> {
  const each = await Promise.all(urls.map(residentBytes))
  return each.reduce((sum, bytes) => sum + bytes, 0)
}

async function ask(url: string, key: string, body?: unknown): Promise<{ id: string }> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return ((await response.json()) as { data: { id: string } }).data
}

/** A run that stays queued, because no process here executes runs. */
async function queueRun(url: string, key: string): Promise<string> {
  const workflow = await ask(`${url}/v1/workflows`, key, { name: 'streams' })
  return (await ask(`${url}/v1/workflows/${workflow.id}/runs`, key, { input: 'x' })).id
}

/** A stream whose first frame has arrived. */
async function openStream(url: string, key: string): Promise<ClientRequest> {
  const sent = request(url, { headers: { authorization: `Bearer ${key}` }, agent: false })
  sent.end()
  const [response] = await once(sent, 'response')
  if (response.statusCode !== 200) throw new Error(`A stream was answered ${response.statusCode}`)
  await once(response, 'data')
  // The rig disconnects them at the end.
  sent.on('error', () => {})
  response.on('error', () => {})
  return sent
}
