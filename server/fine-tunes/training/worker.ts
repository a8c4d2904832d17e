import { createHash } from 'node:crypto'
import { parentPort, type MessagePort } from 'node:worker_threads'
import { maxTrainingBytes } from './limits.ts'
import type { TrainingSet } from './training-set.ts'

/**
 * A thread that reads one training set at a time, so that neither the time nor the memory that this
 * takes is felt by other requests; it ends after a large one. It is sent the parts of a request body, or of JSONL, then null.
 */
export type FromWorker =
  | { kind: 'lines'; set: TrainingSet }
  /** `rest` is the body, its training data replaced by a hash; `set` is null where it has none. */
  | { kind: 'body'; rest: Uint8Array; set: TrainingSet | 'too-large' | null }
  | { kind: 'bad-utf8'; line: number | undefined }

export type ToWorker = 'body' | 'lines' | Uint8Array | null

const port = parentPort as MessagePort
let mode: 'body' | 'lines' | undefined
let parts: Uint8Array[] = []

port.on('message', (message: ToWorker) => {
  if (message === 'body' || message === 'lines') mode = message
  else if (message !== null) parts.push(message)
  else void finish().then((answer) => port.postMessage(answer))
})

async function finish(): Promise<FromWorker> {
  const bytes = Buffer.concat(parts)
  // It may be given another one.
  parts = []
  return mode === 'lines'
    ? { kind: 'lines', set: await readSet(bytes.toString()) }
    : readBody(bytes)
}

/** Not async: it would keep the body in memory until its training data is read. */
function readBody(bytes: Buffer): FromWorker | Promise<FromWorker> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { kind: 'bad-utf8', line: findReplaced(bytes.toString()) }
  }
  const body = parseBody(text)
  text = ''
  const data = body?.['training_data']
  if (body === undefined || typeof data !== 'string') {
    return { kind: 'body', rest: new Uint8Array(bytes), set: null }
  }
  const hash = createHash('sha256').update(data).digest('hex')
  const rest = new Uint8Array(Buffer.from(JSON.stringify({ ...body, training_data: hash })))
  if (Buffer.byteLength(data) > maxTrainingBytes) return { kind: 'body', rest, set: 'too-large' }
  return readSet(data).then((set) => ({ kind: 'body', rest, set }))
}

/** The body when it is an object; all else is for the service's own parser to refuse. */
function parseBody(text: string): Record<string, unknown> | undefined {
  for (const candidate of [text, text.replaceAll('\0', '\\u0000')]) {
    try {
      const value: unknown = JSON.parse(candidate)
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as Record<string, unknown>)
        : undefined
    } catch {
      // A NUL that stands as it is gets its line named, like one that is escaped.
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
  // The tokenizer is large, and many bodies have nothing to count.
  const { TrainingSetBuilder } = await import('./training-set.ts')
  const builder = new TrainingSetBuilder()
  // A byte order mark is no part of the first line.
  let start = text.startsWith('\uFEFF') ? 1 : 0
  while (start < text.length) {
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    await builder.add(text.slice(start, stop))
    start = stop + 1
  }
  return builder.finish()
}
