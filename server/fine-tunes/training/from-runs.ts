import type { Context } from '../../context.ts'
import { readFinishedSteps } from '../../runs/read-finished-steps.ts'
import { toExample } from './example.ts'
import { maxRunExamples, maxTrainingBytes } from './limits.ts'
import { readLinesInWorker } from './read-in-worker.ts'
import type { TrainingSet } from './training-set.ts'

/**
 * A training set from past runs: system prompt, input and output of each finished step of completed
 * runs, newest first, up to 10,000 steps or 20 MB. Steps that every provider would reject, such as
 * those with an empty output, are left out.
 */
export async function readRuns(
  ctx: Context,
  source: { workflowId: string; role: string | undefined },
): Promise<TrainingSet> {
  return readLinesInWorker(ctx, await Array.fromAsync(lines(ctx, source)))
}

async function* lines(
  ctx: Context,
  source: { workflowId: string; role: string | undefined },
): AsyncGenerator<Uint8Array> {
  let count = 0
  let bytes = 0
  for await (const steps of readFinishedSteps(ctx.reads, ctx.accountId, source)) {
    for (const { instructions, input, output } of steps) {
      const read = toExample([
        ...(instructions === '' ? [] : [{ role: 'system', content: instructions }]),
        { role: 'user', content: input },
        { role: 'assistant', content: output },
      ])
      if (read.kind === 'problem') continue
      const line = Buffer.from(`${read.json}\n`)
      if (count === maxRunExamples || bytes + line.length > maxTrainingBytes) return
      count++
      bytes += line.length
      yield line
    }
  }
}
