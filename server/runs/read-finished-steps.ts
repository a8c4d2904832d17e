import type { Database } from '../db/client.ts'
import type { Cursor } from '../db/keyset.ts'
import { promptOf, stepInput } from '../engine/run/step.ts'
import { readCompletedRuns } from '../engine/reads/finished-steps.ts'

/** A finished step from its agent's view. */
export interface FinishedStep {
  role: string
  instructions: string
  input: string
  output: string
}

/** Runs per query; a run may have ten steps of many thousand characters. */
const runsPerRead = 25
const maxRuns = 50_000

/**
 * Yields batches of the finished steps of a workflow's completed runs, newest run first, steps in
 * the order of the crew. A step that retries and forks reuse is listed once, with the newest run
 * that has it. Only the newest 50,000 runs are read.
 */
export async function* readFinishedSteps(
  database: Database,
  accountId: string,
  only: { workflowId: string; role: string | undefined },
): AsyncGenerator<FinishedStep[]> {
  const reused = new Set<string>()
  let after: Cursor | undefined
  for (let seen = 0; seen < maxRuns; seen += runsPerRead) {
    const runs = await readCompletedRuns(database, accountId, only.workflowId, runsPerRead, after)
    yield runs.flatMap((run) =>
      run.steps.flatMap((step, position): FinishedStep[] => {
        if (step.output === null || (only.role !== undefined && step.role !== only.role)) return []
        const key = `${step.reusedFrom ?? run.id} ${position}`
        if (reused.has(key)) return []
        if (step.reusedFrom !== null) reused.add(key)
        const prior = run.steps.slice(0, position)
        const input = stepInput(
          promptOf(run.input, run.data),
          prior.map((earlier) => ({ ...earlier, output: earlier.output ?? '' })),
          run.context,
        )
        const { role, instructions, output } = step
        return [{ role, instructions: instructions ?? '', input, output }]
      }),
    )
    const last = runs.at(-1)
    if (last === undefined || runs.length < runsPerRead) return
    after = { at: last.createdAt, id: last.id }
  }
}
