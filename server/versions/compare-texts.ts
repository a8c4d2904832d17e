import { DomainError } from '../errors.ts'
import type { TextPart } from '../engine/wire/comparison.ts'
import { defineTask, type Caller } from '../sandbox/sandbox.ts'
import { TaskEnded } from '../sandbox/thread.ts'
import type * as tasks from './diff-text.ts'
import { comparePairs, wholly, type Pair } from './diff-text.ts'

const compareInThread = defineTask<typeof tasks.comparePairs>({
  line: 'quick',
  from: import.meta.url,
  file: './diff-text',
  name: 'comparePairs',
  maxMs: 2_000,
  maxMb: 128,
})

/** Characters that are compared at once; some milliseconds. */
const maxHere = 2_000

/** Compares all texts of an answer, in a thread unless they are short. Without a result, a text counts as replaced. */
export async function compareTexts(caller: Caller, pairs: Pair[]): Promise<TextPart[][]> {
  const length = pairs.reduce((sum, { before, after }) => sum + before.length + after.length, 0)
  if (length <= maxHere) return comparePairs(pairs)
  try {
    return await compareInThread(caller, pairs)
  } catch (error) {
    if (!(error instanceof TaskEnded) && !(error instanceof DomainError)) throw error
    return pairs.map(({ before, after }) => wholly(before, after))
  }
}
