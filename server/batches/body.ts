import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cannot } from '../errors.ts'
import { leaveToRate, arrivingBody, tooLarge } from '../http/traffic/arrival.ts'
import { readJson } from '../http/traffic/json-body.ts'
import { actionOf } from '../http/request.ts'
import { refusal, Slots } from '../slots.ts'
import { defineTask } from '../sandbox/sandbox.ts'
import { TaskEnded } from '../sandbox/thread.ts'
import type * as tasks from './read-items.ts'

/**
 * The bodies of a new batch: JSON; or its items as JSON Lines or CSV, with the other fields in the query. Each is
 * turned into the JSON body, which is then checked like any other.
 */
const maxBodyBytes = 32 * 1024 * 1024
const maxJsonBytes = 8 * 1024 * 1024

/** Bounds the bodies in the memory of the process, from the first byte until they are parsed. */
const slots = new Slots(
  { active: 4, activePerAccount: 1, waiting: 100, waitingPerAccount: 10, waitMs: 30_000 },
  refusal('too_many_uploads', 'too many batches arrive at once, try again later', 5),
)

export function addBatchBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const add = (
    type: string,
    maxBytes: number,
    read: (request: FastifyRequest, body: Buffer) => Promise<unknown>,
  ): void => {
    app.addContentTypeParser(type, async (request: FastifyRequest, payload: IncomingMessage) => {
      const action = actionOf(request)
      if (Number(request.headers['content-length'] ?? 0) > maxBytes)
        throw tooLarge(action, maxBytes)
      leaveToRate(payload)
      using _slot = await slots.take(request.ctx.accountId, action)
      const arriving = arrivingBody(payload, action, { maxBytes })
      return read(request, Buffer.concat(await Array.fromAsync(arriving)))
    })
  }
  add('application/json', maxJsonBytes, async (request, body) => {
    const value = readJson(request, body)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ...fieldsOf(request), ...value } : value
  })
  add('application/x-ndjson', maxBodyBytes, async (request, body) => ({
    ...fieldsOf(request),
    items: await readItems(request, 'lines', body),
  }))
  add('text/csv', maxBodyBytes, async (request, body) => ({
    ...fieldsOf(request),
    items: await readItems(request, 'csv', body),
  }))
}

/** Fields of the body from the query, which is not validated yet. */
function fieldsOf({ query }: FastifyRequest): Record<string, unknown> {
  const { name, concurrency, dry_run: dryRun, input } = query as Record<string, string | undefined>
  return {
    ...(name !== undefined && { name }),
    ...(input !== undefined && { input }),
    ...(concurrency !== undefined && { concurrency: Number(concurrency) }),
    ...(dryRun !== undefined && { dry_run: dryRun === 'true' }),
  }
}

const readInThread = defineTask<typeof tasks.readItems>({
  line: 'long',
  from: import.meta.url,
  file: './read-items',
  name: 'readItems',
  maxMs: 20_000,
  maxMb: 256,
})

async function readItems(
  request: FastifyRequest,
  kind: 'lines' | 'csv',
  body: Buffer,
): Promise<unknown[]> {
  const { accountId } = request.ctx
  const action = actionOf(request)
  const { key: keyColumn } = request.query as { key?: string }
  // A large body has a buffer of its own, which moves to the thread without a copy.
  const isAlone = body.buffer.byteLength === body.length && body.buffer instanceof ArrayBuffer
  const bytes = isAlone ? new Uint8Array(body.buffer) : new Uint8Array(body)
  const read = await readInThread(
    { accountId, action, transfer: [bytes.buffer] },
    { kind, bytes, keyColumn },
  ).catch((error: unknown) => {
    if (!(error instanceof TaskEnded)) throw error
    throw cannot({ action }, 'invalid_request', `the body cannot be read: ${error.message}`)
  })
  if (read.kind === 'refused') {
    const { code, why, kind: _, ...details } = read
    throw cannot({ action }, code, why, details)
  }
  const items: unknown[] = []
  const { parts } = read
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    items.push(...(JSON.parse(part) as unknown[]))
    // Other requests get a turn.
    await new Promise(setImmediate)
  }
  return items
}
