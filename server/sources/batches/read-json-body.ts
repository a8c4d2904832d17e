import { isUtf8 } from 'node:buffer'
import type { ErrorCode } from '../../errors.ts'
import { hasMoreNested } from '../../json-limits.ts'
import { readJsonText } from '../../json-text.ts'
import { maxItems, maxLineBytes } from './limits.ts'
import { ItemPacker, type PackedItems } from './packed-items.ts'

export type ReadItems =
  /** `rest` is the JSON body without its items. */
  | { kind: 'items'; packed: PackedItems; rest?: unknown }
  /** A JSON body without a list of items. */
  | { kind: 'rest'; rest: unknown }
  | { kind: 'refused'; code: ErrorCode; why: string; line?: number; param?: string }

/** The body of a new batch as JSON: its items, and its other fields. */
export function readJsonBody(bytes: Uint8Array): ReadItems {
  try {
    return readBody(bytes)
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', ...error.refusal }
    throw error
  }
}

function readBody(bytes: Uint8Array): ReadItems {
  if (!isUtf8(bytes)) {
    throw new Refusal({ code: 'invalid_json', why: 'the body is not valid UTF-8' })
  }
  if (hasMoreNested(bytes, maxNested)) {
    const why = `the body has more than ${maxNested} lists and objects, send its items as JSON Lines`
    throw new Refusal({ code: 'invalid_json', why })
  }
  const text = new TextDecoder().decode(bytes)
  // Many clients send the content type without a body.
  if (text === '') return { kind: 'rest', rest: undefined }
  const read = readJsonText(text)
  if (read.kind === 'refused') return read
  const { value } = read
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'rest', rest: shallow(value) }
  }
  const { items, ...others } = value as Record<string, unknown>
  const rest: Record<string, unknown> = {}
  for (const [name, other] of Object.entries(others)) {
    if (name === 'files' && Array.isArray(other)) rest[name] = checkCount(name, other).map(shallow)
    else rest[name] = shallow(other)
  }
  if (items === undefined) return { kind: 'rest', rest }
  if (!Array.isArray(items)) return { kind: 'rest', rest: { ...rest, items: shallow(items) } }
  const packer = new ItemPacker()
  for (const [place, item] of checkCount('items', items).entries()) {
    const json = JSON.stringify(item)
    if (json.length > maxLineBytes) {
      const param = `items[${place}]`
      const why = `${param} has ${json.length} characters of JSON, at most ${maxLineBytes}`
      throw new Refusal({ code: 'invalid_request', why, param })
    }
    packer.add(json)
  }
  return { kind: 'items', packed: packer.finish(), rest }
}

const maxNested = 1_000_000

/** What a list or an object holds where none is expected is not worth keeping: it is refused anyway. */
function shallow(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? [] : {}
}

/** In the words of the schema, which the whole list need not reach. */
function checkCount(param: 'items' | 'files', list: unknown[]): unknown[] {
  const { length } = list
  if (length === 0) {
    const why = `${param} has 0 items, at least 1`
    throw new Refusal({ code: 'array_too_short', why, param })
  }
  if (length > maxItems) {
    const why = `${param} has ${length} items, at most ${maxItems}`
    throw new Refusal({ code: 'array_too_long', why, param })
  }
  return list
}

/** Ends the reading of a body. */
export class Refusal extends Error {
  readonly refusal: Omit<Extract<ReadItems, { kind: 'refused' }>, 'kind'>

  constructor(refusal: Refusal['refusal']) {
    super(refusal.why)
    this.refusal = refusal
  }
}
