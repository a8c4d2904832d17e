import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'

/**
 * What hostile tenants do, in a process of its own: everything at once, until it is told to end. Each has as
 * many keys as an account may have.
 */
const keysPerAccount = 99
/** MCP servers, each an origin of its own. */
const origins = 13
const mcpBytes = 3_900_000

/** Returns when all of it is under way. */
export async function startAttack(url: string, keys: string[]): Promise<ChildProcess> {
  const child = fork(import.meta.filename, { execArgv: [] })
  const begun = once(child, 'message')
  child.send({ url, keys })
  await begun
  return child
}

export function count(statuses: Record<string, number>, status: number | string): void {
  statuses[status] = (statuses[status] ?? 0) + 1
}

async function attack(url: string, keys: string[]): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  const hosts = new Agent({ pipelining: 1, connections: 1_000 })
  const open = async (path: string, key: string | null) => {
    const answer = await request(url + path, {
      dispatcher: hosts,
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
    })
    count(statuses, answer.statusCode)
    return answer.body
  }
  const repeat = (times: number, path: string, key: string | null): void => {
    for (let number = 0; number < times; number++) {
      void (async () => {
        for (;;) {
          await open(path, key)
            .then(readWhole)
            .catch(() => count(statuses, 'broken'))
          // One that is refused does not ask in a circle without a pause.
          await delay(20)
        }
      })()
    }
  }
  const connectAgain = (id: string, origin: string, key: string): void => {
    void (async () => {
      for (;;) {
        await request(`${url}/v1/connectors/${id}`, {
          dispatcher: hosts,
          method: 'PUT',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ kind: 'mcp', url: origin }),
        })
          .then(({ statusCode, body }) => {
            count(statuses, `MCP ${statusCode}`)
            return readWhole(body)
          })
          .catch(() => count(statuses, 'MCP broken'))
        await delay(100)
      }
    })()
  }
  const servers = await startMcpServers()
  const accounts = await Promise.all(
    keys.map(async (key) => {
      const page = await open('/v1/runs?limit=100', key)
      const runs = (await page.json()) as { data: { id: string }[] }
      const large = runs.data.map(({ id }) => id).sort()[0]
      return { key, large, all: [key, ...(await makeKeys(url, key))] }
    }),
  )
  const docs = await (await open('/docs/', null)).text()
  const script = /src="([^"]+\.js)"/.exec(docs)?.[1] ?? '/docs'
  for (const { key, large, all } of accounts) {
    for (const each of all) {
      repeat(1, `/v1/runs/${large}`, each)
      repeat(1, '/v1/agents', each)
      repeat(1, '/v1/runs?limit=100', each)
      repeat(1, '/v1/account', each)
    }
    for (let number = 0; number < 6; number++) trickle(url, key)
    for (const [place, origin] of servers.entries()) connectAgain(`mcp${place}`, origin, key)
  }
  repeat(50, new URL(script, `${url}/docs/`).pathname, null)
  repeat(10, '/openapi.json', null)
  repeat(10, '/metrics', null)
  process.send?.('begun')
  await once(process, 'message')
  return statuses
}

/** In place of `dump`, which breaks off after 128 KB, whatever it is asked. */
async function readWhole(body: Readable): Promise<void> {
  await finished(body.resume())
}

async function makeKeys(url: string, key: string): Promise<string[]> {
  const keys: string[] = []
  for (let number = 0; number < keysPerAccount; number++) {
    const { body } = await request(`${url}/v1/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `k${number}`, role: 'viewer' }),
    })
    const answer = (await body.json()) as { data?: { key: string } }
    if (answer.data !== undefined) keys.push(answer.data.key)
  }
  return keys
}

/** A training set that does not go on; again as soon as it is cut off. */
function trickle(url: string, key: string): void {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const drip = setInterval(() => socket.write(' '), 500)
  socket.on('error', () => {})
  socket.once('data', () => socket.destroy())
  socket.once('close', () => {
    clearInterval(drip)
    setTimeout(() => trickle(url, key), 100)
  })
  socket.write(
    `POST /v1/fine-tunes/preview HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
      'content-type: application/json\r\ncontent-length: 20000000\r\n\r\n{"name":',
  )
}

/** Every other one holds what it has begun to answer; the rest list a tool whose text is all unseen characters. */
async function startMcpServers(): Promise<string[]> {
  const text = JSON.stringify('\u200d\r'.repeat(mcpBytes / 8))
  return Promise.all(
    Array.from({ length: origins }, async (_, place) => {
      const server = createServer((asked, response) => {
        asked.setEncoding('utf8')
        let body = ''
        asked.on('data', (part: string) => (body += part))
        asked.on('end', () => answerMcp(body, response, place % 2 === 0, text))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
    }),
  )
}

function answerMcp(body: string, response: ServerResponse, holds: boolean, text: string): void {
  const asked = (body === '' ? {} : JSON.parse(body)) as {
    id?: number
    method?: string
    params?: { protocolVersion?: string }
  }
  if (asked.id === undefined) return void response.writeHead(202).end()
  response.writeHead(200, { 'content-type': 'application/json' })
  const open = `{"jsonrpc":"2.0","id":${asked.id},"result":`
  if (asked.method === 'initialize') {
    const protocolVersion = asked.params?.protocolVersion ?? '2025-06-18'
    const server = { capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
    return void response.end(`${open}${JSON.stringify({ protocolVersion, ...server })}}`)
  }
  const tool = `{"tools":[{"name":"a","inputSchema":{"type":"object"},"description":`
  if (holds) response.write(`${open}${tool}"${'x'.repeat(mcpBytes)}`)
  else response.end(`${open}${tool}${text}}]}}`)
}

if (import.meta.main) {
  process.once('message', ({ url, keys }: { url: string; keys: string[] }) => {
    void attack(url, keys).then((statuses) => process.send?.(statuses, () => process.exit()))
  })
  process.on('disconnect', () => process.exit())
}
