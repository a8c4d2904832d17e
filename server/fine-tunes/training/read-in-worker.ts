import { extname } from 'node:path'
import Tinypool from 'tinypool'
import { DomainError } from '../../errors.ts'
import type { ReadBody } from './reader.ts'
import { mostReaders } from './slots.ts'
import type { TrainingSet } from './training-set.ts'

/**
 * Reads training data in threads, so that other requests do not wait for up to 20 MB of it. Callers
 * must hold a slot.
 */

/** TypeScript in a checkout, JavaScript in the compiled package. */
const readerFile = `./reader${extname(import.meta.url)}`
const maxReadMs = 60_000
/**
 * A thread is kept for the next set, because loading the tokenizer takes longer than reading a
 * small one.
 */
const idleTimeout = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 512 }
let threads: Tinypool | undefined

/** Extracts the training data from a request's body. */
export function readBodyInWorker(body: Uint8Array[], action: string): Promise<ReadBody> {
  return readInWorker('readBody', body, action)
}

export function readLinesInWorker(lines: Uint8Array[], action: string): Promise<TrainingSet> {
  return readInWorker('readLines', lines, action)
}

async function readInWorker<Answer>(
  name: string,
  parts: Uint8Array[],
  action: string,
): Promise<Answer> {
  threads ??= new Tinypool({
    filename: new URL(readerFile, import.meta.url).href,
    minThreads: 0,
    maxThreads: mostReaders,
    idleTimeout,
    resourceLimits,
  })
  const signal = AbortSignal.timeout(maxReadMs)
  try {
    return (await threads.run(parts, { name, signal })) as Answer
  } catch (error) {
    if (!signal.aborted) throw error
    const why = `reading the training data took more than ${maxReadMs / 1000} s`
    throw new DomainError('invalid_training_data', `Cannot ${action}: ${why}`, {
      param: 'training_data',
    })
  }
}
