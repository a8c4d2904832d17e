import { setTimeout as delay } from 'node:timers/promises'
import { figure, type Figure } from './report.ts'
import { createWorkflow, triggerRun } from '../rig/api.ts'
import { waitForCompleted } from '../rig/completed.ts'
import { clockMs, median, percentile, round } from '../rig/measure.ts'
import { openStage } from '../rig/stage.ts'

const runs = 100
const targetMs = 15
const completedTargetMs = 18

/**
 * An idle server: time from the trigger to the run's first model call, and to its end after two
 * steps.
 */
export async function idleStart(): Promise<Figure[]> {
  await using stage = await openStage()
  const { muster, model, database } = stage
  const workflowId = await createWorkflow(muster.url)
  for (let tag = 0; tag < 20; tag++) await triggerRun(muster.url, workflowId, `#${tag}# warm-up`)
  await delay(500)
  await model.takeCalls()

  const sentAt: number[] = []
  const answeredMs: number[] = []
  for (let tag = 0; tag < runs; tag++) {
    sentAt[tag] = clockMs()
    await triggerRun(muster.url, workflowId, `#${tag}# ${'A sentence with facts. '.repeat(80)}`)
    answeredMs.push(clockMs() - (sentAt[tag] ?? 0))
    await delay(50 + 100 * Math.random())
  }
  const calls = await model.takeCalls()
  const startedMs = calls
    .filter(({ step }) => step === 0)
    .map(({ tag, arrivedAt }) => arrivedAt - (sentAt[tag] ?? Number.NaN))
  if (startedMs.length !== runs) throw new Error(`${startedMs.length} of ${runs} runs began`)
  await waitForCompleted(database, runs + 20, 10_000)
  const rows = await database.query<{ ms: number }>(
    `select extract(epoch from finished_at - created_at)::float8 * 1000 as ms from runs
     order by created_at desc limit ${runs}`,
  )
  const completedMs = rows.map(({ ms }) => ms)
  return [
    figure(
      'idle server: trigger sent → first model call, p50 / p99',
      `${round(percentile(startedMs, 0.5))} / ${round(percentile(startedMs, 0.99))} ms`,
      `p50 ≤ ${targetMs} ms`,
      median(startedMs) <= targetMs,
    ),
    figure(
      'idle server: trigger sent → 202, p50 / p99',
      `${round(percentile(answeredMs, 0.5))} / ${round(percentile(answeredMs, 0.99))} ms`,
    ),
    figure(
      'idle server: run created → completed, two steps, p50 / p99',
      `${round(percentile(completedMs, 0.5))} / ${round(percentile(completedMs, 0.99))} ms`,
      `p50 ≤ ${completedTargetMs} ms`,
      median(completedMs) <= completedTargetMs,
    ),
  ]
}
