import { isUtf8 } from 'node:buffer'
import { readJsonText } from '../../json-text.ts'
import { maxItems, maxItemsLength, maxLineBytes } from './limits.ts'
import { moving } from '../../sandbox/moving.ts'
import { ItemPacker } from './packed-items.ts'
import { readJsonBody, Refusal, type ReadItems } from './read-json-body.ts'
import { CsvProblem, readCsv, withoutMark } from './read-csv.ts'

/** A task: the items of the body of a new batch. */
export interface BodyToRead {
  kind: 'json' | 'lines' | 'csv'
  /** Its buffer is changed. */
  bytes: Uint8Array<ArrayBuffer>
  /** The column of a CSV that holds the keys. */
  keyColumn: string | undefined
}

export async function readItems(body: BodyToRead): Promise<ReadItems> {
  const read = body.kind === 'json' ? readJsonBody(body.bytes) : await readText(body)
  return read.kind === 'items' ? moving(read, [read.packed.bytes.buffer]) : read
}

async function readText({ kind, bytes, keyColumn }: BodyToRead): Promise<ReadItems> {
  try {
    const items = new Items(kind === 'lines' ? bytes : undefined)
    await (kind === 'csv' ? readRows(bytes, keyColumn, items) : readLines(bytes, items))
    if (items.count > 0) return { kind: 'items', packed: items.finish() }
    const why = 'the body has no items, expected one for each run'
    return { kind: 'refused', code: 'invalid_request', why }
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', ...error.refusal }
    if (error instanceof CsvProblem) {
      const { message: why, line } = error
      return { kind: 'refused', code: 'invalid_request', why, ...(line !== undefined && { line }) }
    }
    throw error
  }
}

/** Items within the limits of JSON Lines and CSV. */
class Items extends ItemPacker {
  #length = 0

  /** `length` in characters. */
  addBounded(json: string | Uint8Array, length: number): void {
    if (this.count === maxItems) {
      const why = `the body has more than ${maxItems} items, start several batches`
      throw new Refusal({ code: 'array_too_long', why, param: 'items' })
    }
    this.#length += length
    if (this.#length > maxItemsLength) {
      const why = `its items have more than ${maxItemsLength} characters of JSON, start several batches`
      throw new Refusal({ code: 'invalid_request', why })
    }
    this.add(json)
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array, { line }: { line: number }): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Refusal({ code: 'invalid_json', why: `line ${line}: it is not valid UTF-8`, line })
  }
}

function readLines(bytes: Uint8Array, items: Items): void {
  let line = 0
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(10, start)
    const end = found === -1 ? bytes.length : found
    line += 1
    if (end - start > maxLineBytes) {
      const why = `line ${line}: it has ${end - start} bytes, at most ${maxLineBytes}`
      throw new Refusal({ code: 'invalid_request', why, line })
    }
    const own = withoutMark(bytes.subarray(start, end))
    const text = decode(own, { line })
    start = end + 1
    if (text.trim() === '') continue
    const read = readJsonText(text)
    if (read.kind === 'refused') {
      const why = `line ${line}: ${read.why.replace(/^the body/, 'it')}`
      throw new Refusal({ code: read.code, why, line })
    }
    items.addBounded(own, text.length)
  }
}

/** Columns are fields of `data`; one may be the key. */
async function readRows(
  bytes: Uint8Array,
  keyColumn: string | undefined,
  items: Items,
): Promise<void> {
  if (!isUtf8(bytes))
    throw new Refusal({ code: 'invalid_request', why: 'the body is not valid UTF-8' })
  let names: string[] | undefined
  for await (const { columns, cells, line } of readCsv(bytes)) {
    // As text, because an object of a thousand fields takes ten times the memory.
    names ??= columns.map((name) => JSON.stringify(name))
    const at = keyColumn === undefined ? -1 : columns.indexOf(keyColumn)
    if (keyColumn !== undefined && at === -1) {
      throw new CsvProblem(`there is no column ${keyColumn}, which the query names as key`)
    }
    const key = cells[at]
    if (key === '') throw new CsvProblem(`line ${line} has no ${keyColumn}`, line)
    const fields = names.map((name, column) => `${name}:${JSON.stringify(cells[column])}`)
    if (at !== -1) fields.splice(at, 1)
    const start = key === undefined ? '' : `"key":${JSON.stringify(key)},`
    const json = `{${start}"data":{${fields.join(',')}}}`
    items.addBounded(json, json.length)
  }
}
