import { createHash } from 'node:crypto'
import { maxTrainingBytes } from './limits.ts'
import type { TrainingSet } from './training-set.ts'

/** Tasks that `read-in-worker.ts` runs in a thread. */

/** `rest` is the body with its training data replaced by a hash; `set` is null if there is none. */
export type ReadBody =
  | { kind: 'body'; rest: Uint8Array; set: TrainingSet | 'too-large' | null }
  | { kind: 'bad-utf8'; line: number | undefined }

export function readLines(parts: Uint8Array[]): Promise<TrainingSet> {
  return readSet(Buffer.concat(parts).toString())
}

/** Not async, because that would keep the body in memory until its training data is read. */
export function readBody(bytes: Uint8Array<ArrayBuffer>): ReadBody | Promise<ReadBody> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { kind: 'bad-utf8', line: findReplaced(new TextDecoder().decode(bytes)) }
  }
  // Frees the bytes at once; they may be 60 MB.
  bytes.buffer.transfer(0)
  const body = parseBody(text)
  const data = body?.['training_data']
  if (body === undefined || typeof data !== 'string') {
    return { kind: 'body', rest: new TextEncoder().encode(text), set: null }
  }
  text = ''
  const hash = createHash('sha256').update(data).digest('hex')
  const rest = new Uint8Array(Buffer.from(JSON.stringify({ ...body, training_data: hash })))
  if (Buffer.byteLength(data) > maxTrainingBytes) return { kind: 'body', rest, set: 'too-large' }
  return readSet(data).then((set) => ({ kind: 'body', rest, set }))
}

/** The body if it is an object; anything else is rejected by the service's own parser. */
function parseBody(text: string): Record<string, unknown> | undefined {
  for (const candidate of [text, text.replaceAll('\0', '\\u0000')]) {
    try {
      const value: unknown = JSON.parse(candidate)
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as Record<string, unknown>)
        : undefined
    } catch {
      // A literal NUL is reported with its line, like an escaped one.
      if (!text.includes('\0')) return undefined
    }
  }
  return undefined
}

/** Line of the training data with the first character that could not be decoded. */
function findReplaced(text: string): number | undefined {
  const data = parseBody(text)?.['training_data']
  const place = typeof data === 'string' ? data.indexOf('\uFFFD') : -1
  return place === -1 ? undefined : (data as string).slice(0, place).split('\n').length
}

async function readSet(text: string): Promise<TrainingSet> {
  // Loaded on demand: the tokenizer is large, and many bodies have nothing to count.
  const { TrainingSetBuilder } = await import('./training-set.ts')
  const builder = new TrainingSetBuilder()
  // Skips a byte order mark.
  let start = text.startsWith('\uFEFF') ? 1 : 0
  while (start < text.length) {
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    await builder.add(text.slice(start, stop))
    start = stop + 1
  }
  return builder.finish()
}
