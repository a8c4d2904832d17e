import type { BatchItemInput } from './schema.ts'

/**
 * The items of a batch as JSON in one buffer, because as objects they would take ten times the memory. They are parsed a
 * part at a time.
 */
export interface PackedItems {
  /** Items with a comma between two. */
  bytes: Uint8Array<ArrayBuffer>
  /** Where each part ends, in bytes. */
  ends: number[]
  count: number
}

export function* unpack({ bytes, ends }: PackedItems): Generator<ItemsPart> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let start = 0
  let place = 0
  for (const end of ends) {
    const items = JSON.parse(`[${decoder.decode(bytes.subarray(start, end))}]`) as BatchItemInput[]
    yield { place, items }
    place += items.length
    start = end + 1
  }
}

export interface ItemsPart {
  /** Position of the first. */
  place: number
  items: BatchItemInput[]
}

const partBytes = 64 * 1024
const itemsInPart = 200
const comma = 44

/**
 * Writes items into one buffer, which grows. It may be that of the body, where an item takes no more bytes than were
 * read for it.
 */
export class ItemPacker {
  #bytes: Uint8Array<ArrayBuffer>
  readonly #ends: number[] = []
  #length = 0
  #partStart = 0
  #inPart = 0
  count = 0

  constructor(bytes = new Uint8Array(0)) {
    this.#bytes = bytes
  }

  add(json: string | Uint8Array): void {
    if (this.#inPart === itemsInPart || this.#length - this.#partStart >= partBytes) this.#close()
    const separator = this.count > 0 ? 1 : 0
    this.#makeRoom(separator + (typeof json === 'string' ? 3 * json.length : json.length))
    if (separator > 0) this.#bytes[this.#length++] = comma
    if (typeof json === 'string') {
      this.#length += encoder.encodeInto(json, this.#bytes.subarray(this.#length)).written
    } else {
      this.#bytes.set(json, this.#length)
      this.#length += json.length
    }
    this.count += 1
    this.#inPart += 1
  }

  finish(): PackedItems {
    if (this.#inPart > 0) this.#close()
    const bytes = new Uint8Array(this.#bytes.buffer.transfer(this.#length))
    return { bytes, ends: this.#ends, count: this.count }
  }

  #close(): void {
    this.#ends.push(this.#length)
    this.#partStart = this.#length
    this.#inPart = 0
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const size = Math.max(needed, Math.ceil(1.5 * this.#bytes.length), partBytes)
    this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(size))
  }
}

const encoder = new TextEncoder()
