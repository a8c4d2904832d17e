import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { DomainError } from '../../errors.ts'
import type { FromWorker, ToWorker } from './worker.ts'

/** TypeScript here, JavaScript where the package was compiled. */
const workerFile = `./worker${extname(import.meta.url)}`
const maxReadMs = 60_000
const maxHeapMb = 512

/** A thread is kept for the next set, as loading the tokenizer takes longer than a small one. */
const keptMs = 10_000
/** After more than that it would hold on to much memory. */
const maxKeptBytes = 1024 * 1024

/** Has a thread read a request body, or JSONL, that comes in parts. Take a slot first. */
export async function readInWorker(
  mode: 'body' | 'lines',
  parts: AsyncIterable<Uint8Array>,
  action: string,
): Promise<FromWorker> {
  const worker = takeWorker()
  const { promise, resolve, reject } = Promise.withResolvers<FromWorker>()
  const onExit = (): void => reject(new Error('The thread ended without an answer'))
  worker.once('message', resolve).once('error', reject).once('exit', onExit)
  const post = (message: ToWorker): void => worker.postMessage(message, [])
  // Nobody waits for the answer yet, should reading the parts fail.
  promise.catch(() => {})
  let timer: NodeJS.Timeout | undefined
  let bytes = 0
  let mayKeep = false
  try {
    post(mode)
    for await (const part of parts) {
      bytes += part.length
      post(part)
    }
    post(null)
    timer = setTimeout(() => reject(tookTooLong(action)), maxReadMs)
    const answer = await promise
    mayKeep = bytes <= maxKeptBytes
    return answer
  } finally {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', reject).off('exit', onExit)
    if (mayKeep && kept === undefined) keep(worker)
    else await worker.terminate()
  }
}

let kept: { worker: Worker; forget: () => void } | undefined

function takeWorker(): Worker {
  const worker = kept?.worker
  kept?.forget()
  worker?.ref()
  const resourceLimits = { maxOldGenerationSizeMb: maxHeapMb }
  return worker ?? new Worker(new URL(workerFile, import.meta.url), { resourceLimits })
}

function keep(worker: Worker): void {
  worker.unref()
  const end = (): void => {
    forget()
    void worker.terminate()
  }
  const timer = setTimeout(end, keptMs).unref()
  const forget = (): void => {
    clearTimeout(timer)
    worker.off('error', end).off('exit', forget)
    kept = undefined
  }
  worker.once('error', end).once('exit', forget)
  kept = { worker, forget }
}

function tookTooLong(action: string): DomainError {
  const why = `reading the training data took more than ${maxReadMs / 1000} s`
  return new DomainError('invalid_training_data', `Cannot ${action}: ${why}`, {
    param: 'training_data',
  })
}
