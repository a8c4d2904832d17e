import { DomainError } from '../../errors.ts'
import { TaskEnded } from '../../sandbox/thread.ts'
import { defineTask, type Caller } from '../../sandbox/sandbox.ts'
import type * as tasks from './reader.ts'
import type { ReadBody } from './reader.ts'
import type { TrainingSet } from './training-set.ts'

/** Reads training data in threads, so that other requests do not wait for up to 20 MB of it. */
const at = {
  line: 'long',
  from: import.meta.url,
  file: './reader',
  maxMs: 60_000,
  maxMb: 256,
} as const
const readBody = defineTask<typeof tasks.readBody>({ ...at, name: 'readBody' })
const readLines = defineTask<typeof tasks.readLines>({ ...at, name: 'readLines' })

/** Extracts the training data from a request's body, whose buffer moves to the thread. */
export function readBodyInWorker(caller: Caller, body: Uint8Array<ArrayBuffer>): Promise<ReadBody> {
  return explained(caller, readBody({ ...caller, transfer: [body.buffer] }, body))
}

export function readLinesInWorker(caller: Caller, lines: Uint8Array[]): Promise<TrainingSet> {
  return explained(caller, readLines(caller, lines))
}

async function explained<Answer>({ action }: Caller, reading: Promise<Answer>): Promise<Answer> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof TaskEnded)) throw error
    const why = `the training data cannot be read: ${error.message}`
    throw new DomainError('invalid_training_data', `Cannot ${action}: ${why}`, {
      param: 'training_data',
    })
  }
}
