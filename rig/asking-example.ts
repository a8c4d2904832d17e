import { answerRun, createWorkflow, triggerRun } from './api.ts'
import type { BenchDatabase } from './bench-database.ts'
import { waitForCompleted } from './completed.ts'
import { until } from './until.ts'

/** A workflow whose crew may ask a person, and a first, completed run of it. */
export async function makeAskingExample(
  url: string,
  database: BenchDatabase,
): Promise<{ workflowId: string; runId: string }> {
  const asking = { human_in_the_loop: { enabled: true } }
  const workflowId = await createWorkflow(url, 'bench', undefined, asking)
  const runId = await triggerRun(url, workflowId, 'An example.')
  await until('the example asks', 10_000, async () => {
    const [run] = await database.query<{ status: string }>('select status from runs')
    return run?.status === 'waiting_input'
  })
  await answerRun(url, runId)
  await waitForCompleted(database, 1, 10_000)
  return { workflowId, runId }
}
