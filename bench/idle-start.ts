import { setTimeout as delay } from 'node:timers/promises'
import { figure, type Figure } from './report.ts'
import { createWorkflow, triggerRun } from '../rig/api.ts'
import { clockMs, median, percentile, round } from '../rig/measure.ts'
import { setStage } from '../rig/stage.ts'

const runs = 100
const targetMs = 15

/** An idle server: from sending a trigger to the arrival of the run's first model call. */
export async function idleStart(): Promise<Figure[]> {
  await using stage = await setStage()
  const { muster, model } = stage
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
  ]
}
