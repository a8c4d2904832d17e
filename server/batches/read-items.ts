import type { ErrorCode } from '../errors.ts'
import { readJsonText } from '../json-text.ts'
import { maxItems, maxItemsLength, maxLineBytes } from './limits.ts'
import { CsvProblem, readCsv } from './read-csv.ts'

/** A task: the items of a batch that came as JSON Lines or CSV. */
export interface BodyToRead {
  kind: 'lines' | 'csv'
  bytes: Uint8Array
  /** The column of a CSV that holds the keys. */
  keyColumn: string | undefined
}

export type ReadItems =
  /** JSON arrays of some items each, so that the caller parses a part at a time. */
  | { kind: 'items'; parts: string[] }
  | { kind: 'refused'; code: ErrorCode; why: string; line?: number; param?: string }

export async function readItems({ kind, bytes, keyColumn }: BodyToRead): Promise<ReadItems> {
  const parts = new Parts()
  try {
    await (kind === 'csv' ? readRows(bytes, keyColumn, parts) : readLines(bytes, parts))
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', ...error.refusal }
    if (error instanceof CsvProblem) {
      const { message: why, line } = error
      return { kind: 'refused', code: 'invalid_request', why, ...(line !== undefined && { line }) }
    }
    throw error
  }
  if (parts.count === 0) {
    const why = 'the body has no items, expected one for each run'
    return { kind: 'refused', code: 'invalid_request', why }
  }
  return { kind: 'items', parts: parts.finish() }
}

class Refusal extends Error {
  readonly refusal: Omit<Extract<ReadItems, { kind: 'refused' }>, 'kind'>

  constructor(refusal: Refusal['refusal']) {
    super(refusal.why)
    this.refusal = refusal
  }
}

const partLength = 128 * 1024

class Parts {
  readonly #parts: string[] = []
  #open: string[] = []
  #openLength = 0
  #length = 0
  count = 0

  add(json: string): void {
    if (this.count === maxItems) {
      const why = `the body has more than ${maxItems} items, start several batches`
      throw new Refusal({ code: 'array_too_long', why, param: 'items' })
    }
    this.count += 1
    this.#length += json.length
    if (this.#length > maxItemsLength) {
      const why = `its items have more than ${maxItemsLength} characters of JSON, start several batches`
      throw new Refusal({ code: 'invalid_request', why })
    }
    this.#open.push(json)
    this.#openLength += json.length
    if (this.#openLength >= partLength) this.#close()
  }

  finish(): string[] {
    if (this.#open.length > 0) this.#close()
    return this.#parts
  }

  #close(): void {
    this.#parts.push(`[${this.#open.join(',')}]`)
    this.#open = []
    this.#openLength = 0
  }
}

function decode(bytes: Uint8Array, where: { line?: number } = {}): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    if (where.line === undefined) {
      throw new Refusal({ code: 'invalid_request', why: 'the body is not valid UTF-8' })
    }
    const why = `line ${where.line}: it is not valid UTF-8`
    throw new Refusal({ code: 'invalid_json', why, line: where.line })
  }
}

function readLines(bytes: Uint8Array, parts: Parts): void {
  let line = 0
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(10, start)
    const end = found === -1 ? bytes.length : found
    line += 1
    if (end - start > maxLineBytes) {
      const why = `line ${line}: it has ${end - start} bytes, at most ${maxLineBytes}`
      throw new Refusal({ code: 'invalid_request', why, line })
    }
    // The decoder leaves out a byte order mark.
    const text = decode(bytes.subarray(start, end), { line })
    start = end + 1
    if (text.trim() === '') continue
    const read = readJsonText(text)
    if (read.kind === 'refused') {
      const why = `line ${line}: ${read.why.replace(/^the body/, 'it')}`
      throw new Refusal({ code: read.code, why, line })
    }
    parts.add(text)
  }
}

/** Columns are fields of `data`; one may be the key. */
async function readRows(
  bytes: Uint8Array,
  keyColumn: string | undefined,
  parts: Parts,
): Promise<void> {
  for await (const { fields, line } of readCsv(decode(bytes))) {
    if (keyColumn === undefined) {
      parts.add(JSON.stringify({ data: fields }))
      continue
    }
    const { [keyColumn]: key, ...data } = fields
    if (key === undefined) {
      throw new CsvProblem(`there is no column ${keyColumn}, which the query names as key`)
    }
    if (key === '') throw new CsvProblem(`line ${line} has no ${keyColumn}`, line)
    parts.add(JSON.stringify({ key, data }))
  }
}
