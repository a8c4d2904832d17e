import type { Database } from '../db/client.ts'
import type { Cursor } from '../db/keyset.ts'
import { promptOf, stepInput } from '../engine/run/step.ts'
import { readCompletedRuns } from '../engine/reads/finished-steps.ts'

/** A finished step as its agent saw it. */
export interface FinishedStep {
  role: string
  instructions: string
  input: string
  output: string
}

/** Runs of one database read; a run may have ten steps of many thousand characters. */
const runsPerRead = 25
const maxRuns = 50_000

/**
 * The finished steps of the completed runs of a workflow, runs from the newest on, steps in the order
 * of the crew; by batches. A step that other runs took over from a run, by retries and forks, comes once: as the newest
 * of them has it.
 * The newest 50,000 runs are considered.
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
