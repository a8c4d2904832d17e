import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { cannot } from '../../errors.ts'
import { arrivingBody, collectBody, leaveToRate, tooLarge } from '../../http/traffic/arrival.ts'
import { actionOf } from '../../http/request.ts'
import { toValidationError } from '../../http/validation.ts'
import { defineTask } from '../../sandbox/sandbox.ts'
import { TaskEnded } from '../../sandbox/thread.ts'
import type { ItemsPart, PackedItems } from './packed-items.ts'
import type * as tasks from './read-items.ts'
import type { BodyToRead } from './read-items.ts'
import { readJsonBody, type ReadItems } from './read-json-body.ts'

/**
 * The bodies of a new batch: JSON; or its items as JSON Lines or CSV, with the other fields in the query. The items are
 * packed (`packed-items.ts`), in a thread where the body is large; `request.body` has the other fields.
 */
const maxBodyBytes = 32 * 1024 * 1024
const maxJsonBytes = 8 * 1024 * 1024
/** A JSON body up to this size is read at once. */
const smallBytes = 64 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    /** The items of a new batch. */
    packedItems: PackedItems | undefined
  }
}

export function addBatchBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.decorateRequest('packedItems')
  const add = (type: string, kind: BodyToRead['kind'], maxBytes: number): void => {
    app.addContentTypeParser(type, async (request: FastifyRequest, payload: IncomingMessage) => {
      const action = actionOf(request)
      const length = Number(request.headers['content-length'] ?? 0)
      if (length > maxBytes) throw tooLarge(action, maxBytes)
      leaveToRate(payload)
      const { accountId, limits } = request.ctx
      using _slot = await limits.batchBodies.take(accountId, action)
      const arriving = arrivingBody(payload, action, { maxBytes })
      // The fields of the query belong to the body.
      const hash = createHash('sha256').update(JSON.stringify([type, request.query]))
      const bytes = await collectBody(arriving, length, hash)
      request.bodyHash = hash.digest()
      return readBody(request, kind, bytes)
    })
  }
  add('application/json', 'json', maxJsonBytes)
  add('application/x-ndjson', 'lines', maxBodyBytes)
  add('text/csv', 'csv', maxBodyBytes)
}

/** Fields of the body from the query, which is not validated yet. */
function fieldsOf({ query }: FastifyRequest): Record<string, unknown> {
  const { name, concurrency, dry_run: dryRun, input } = query as Record<string, string | undefined>
  return {
    ...(name !== undefined && { name }),
    ...(input !== undefined && { input }),
    ...(concurrency !== undefined && { concurrency: numberOf(concurrency) }),
    ...(dryRun !== undefined && { dry_run: dryRun === 'true' }),
  }
}

/** Text that is no number is left as it is, so that validation refuses it as text. */
function numberOf(text: string): number | string {
  const number = Number(text)
  return text.trim() === '' || Number.isNaN(number) ? text : number
}

const readInThread = defineTask<typeof tasks.readItems>({
  line: 'long',
  from: import.meta.url,
  file: './read-items',
  name: 'readItems',
  maxMs: 20_000,
  maxMb: 160,
})

async function readBody(
  request: FastifyRequest,
  kind: BodyToRead['kind'],
  bytes: Uint8Array<ArrayBuffer>,
): Promise<unknown> {
  const action = actionOf(request)
  const isSmall = kind === 'json' && bytes.length <= smallBytes
  const read = isSmall ? readJsonBody(bytes) : await readApart(request, kind, bytes)
  if (read.kind === 'refused') {
    const { code, why, kind: _, ...details } = read
    throw cannot({ action }, code, why, details)
  }
  if (read.kind === 'items') request.packedItems = read.packed
  const { rest } = read
  if (kind !== 'json') return fieldsOf(request)
  const isObject = typeof rest === 'object' && rest !== null && !Array.isArray(rest)
  return isObject ? { ...fieldsOf(request), ...rest } : rest
}

async function readApart(
  request: FastifyRequest,
  kind: BodyToRead['kind'],
  bytes: Uint8Array<ArrayBuffer>,
): Promise<ReadItems> {
  const { accountId, sandbox } = request.ctx
  const action = actionOf(request)
  const { key: keyColumn } = request.query as { key?: string }
  try {
    const caller = { accountId, action, sandbox, transfer: [bytes.buffer] }
    return await readInThread(caller, { kind, bytes, keyColumn })
  } catch (error) {
    if (!(error instanceof TaskEnded)) throw error
    throw cannot({ action }, 'invalid_request', `the body cannot be read: ${error.message}`)
  }
}

/** Throws for the first item that does not fit the schema of the body. */
export function validateItems(request: FastifyRequest, { place, items }: ItemsPart): void {
  // The result is that of `createValidatorFactory`.
  const result = request.validateInput({ items }, 'body') as unknown as
    | true
    | { error: FastifySchemaValidationError[] }
  if (result === true) return
  const [error] = result.error as [FastifySchemaValidationError]
  const instancePath = error.instancePath.replace(
    /^\/items\/(\d+)/,
    (_, at: string) => `/items/${place + Number(at)}`,
  )
  throw toValidationError([{ ...error, instancePath }], actionOf(request))
}
