import type { IncomingMessage } from 'node:http'
import { parse, type CsvError } from 'csv-parse'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../errors.ts'
import { leaveToRate, arrivingBody, tooLarge } from '../http/traffic/arrival.ts'
import { createJsonReader } from '../http/traffic/json-body.ts'
import { actionOf } from '../http/request.ts'
import { refusal, Slots } from '../slots.ts'
import { maxItems } from './schema.ts'

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
  const readJson = createJsonReader(app)
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
      const parts = await Array.fromAsync(arrivingBody(payload, action, { maxBytes }))
      return read(request, Buffer.concat(parts))
    })
  }
  add('application/json', maxJsonBytes, async (request, body) => {
    const value = await readJson(request, body)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ...fieldsOf(request), ...value } : value
  })
  add('application/x-ndjson', maxBodyBytes, async (request, body) => ({
    ...fieldsOf(request),
    items: await readLines(request, body, readJson),
  }))
  add('text/csv', maxBodyBytes, async (request, body) => ({
    ...fieldsOf(request),
    items: await readCsv(request, body),
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

/** Lines that are parsed before other requests get a turn. */
const linesAtOnce = 200

async function readLines(
  request: FastifyRequest,
  body: Buffer,
  readJson: (request: FastifyRequest, body: Buffer) => Promise<unknown>,
): Promise<unknown[]> {
  const items: unknown[] = []
  let line = 0
  for (let start = 0; start < body.length;) {
    const found = body.indexOf(10, start)
    const end = found === -1 ? body.length : found
    const text = body.subarray(line === 0 ? start + bomBytes(body) : start, end)
    start = end + 1
    line += 1
    if (line % linesAtOnce === 0) await new Promise(setImmediate)
    if (isBlank(text)) continue
    if (items.length === maxItems) throw tooMany(request)
    try {
      items.push(await readJson(request, text))
    } catch (error) {
      throw atLine(request, line, error)
    }
  }
  if (items.length === 0) throw noItems(request)
  return items
}

/** Columns are fields of `data`; the column that the query names as `key` is the key. */
async function readCsv(request: FastifyRequest, body: Buffer): Promise<unknown[]> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw refused(request, 'the body is not valid UTF-8')
  }
  const { key: keyColumn } = request.query as { key?: string }
  const parser = parse({
    delimiter: delimiterOf(text),
    columns: true,
    skip_empty_lines: true,
    max_record_size: 256 * 1024,
    info: true,
  })
  // In parts, so that other requests get a turn.
  const feed = async (): Promise<void> => {
    for (let start = 0; start < text.length; start += partLength) {
      if (!parser.write(text.slice(start, start + partLength)))
        await new Promise((resolve) => parser.once('drain', resolve))
    }
    parser.end()
  }
  const items: unknown[] = []
  void feed()
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRow>) {
      if (items.length === maxItems) throw tooMany(request)
      if (keyColumn === undefined) {
        items.push({ data: record })
        continue
      }
      const { [keyColumn]: key, ...data } = record
      if (key === undefined) {
        throw refused(request, `there is no column ${keyColumn}, which the query names as key`)
      }
      if (key === '') throw refused(request, `line ${info.lines} has no ${keyColumn}`, info.lines)
      items.push({ key, data })
    }
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw refused(request, `the CSV cannot be read: ${(error as CsvError).message}`)
  } finally {
    parser.destroy()
  }
  if (items.length === 0) throw noItems(request)
  return items
}

const partLength = 64 * 1024

interface CsvRow {
  record: Record<string, string>
  info: { lines: number }
}

/** The separator that occurs most often in the first line, outside of quotes. */
function delimiterOf(text: string): string {
  const head = text.slice(0, partLength).replaceAll(/"[^"]*"/g, '')
  const [line = ''] = head.split(/\r?\n/, 1)
  const counts = [',', ';', '\t'].map((one) => [one, line.split(one).length] as const)
  return counts.reduce((a, b) => (b[1] > a[1] ? b : a))[0]
}

function bomBytes(body: Buffer): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
}

function isBlank(text: Buffer): boolean {
  return text.every((byte) => byte === 32 || byte === 13 || byte === 9)
}

function atLine(request: FastifyRequest, line: number, error: unknown): unknown {
  if (!(error instanceof DomainError)) return error
  const why = error.message.replace(/^Cannot [^:]*: /, '').replace(/^the body/, 'it')
  return new DomainError(error.code, `Cannot ${actionOf(request)}: line ${line}: ${why}`, { line })
}

const noItems = (request: FastifyRequest): DomainError =>
  refused(request, 'the body has no items, expected one for each run')

const tooMany = (request: FastifyRequest): DomainError =>
  new DomainError(
    'array_too_long',
    `Cannot ${actionOf(request)}: the body has more than ${maxItems} items, start several batches`,
    { param: 'items' },
  )

function refused(request: FastifyRequest, why: string, line?: number): DomainError {
  const where = line === undefined ? {} : { line }
  return new DomainError('invalid_request', `Cannot ${actionOf(request)}: ${why}`, where)
}
