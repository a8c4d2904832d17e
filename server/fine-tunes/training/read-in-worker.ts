import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { DomainError } from '../../errors.ts'
import type { FromWorker, ToWorker } from './worker.ts'

/** TypeScript here, JavaScript where the package was compiled. */
const workerFile = `./worker${extname(import.meta.url)}`
const maxReadMs = 60_000
const maxHeapMb = 512

/** Has a thread read a request body, or JSONL, that comes in parts. Take a slot first. */
export async function readInWorker(
  mode: 'body' | 'lines',
  parts: AsyncIterable<Uint8Array>,
  action: string,
): Promise<FromWorker> {
  const worker = new Worker(new URL(workerFile, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  const { promise, resolve, reject } = Promise.withResolvers<FromWorker>()
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('The thread ended without an answer')))
  const post = (message: ToWorker): void => worker.postMessage(message, [])
  // Nobody waits for the answer yet, should reading the parts fail.
  promise.catch(() => {})
  let timer: NodeJS.Timeout | undefined
  try {
    post(mode)
    for await (const part of parts) post(part)
    post(null)
    timer = setTimeout(() => reject(tookTooLong(action)), maxReadMs)
    return await promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}

function tookTooLong(action: string): DomainError {
  const why = `reading the training data took more than ${maxReadMs / 1000} s`
  return new DomainError('invalid_training_data', `Cannot ${action}: ${why}`, {
    param: 'training_data',
  })
}
