import { figure, type Figure } from './report.ts'
import { createWorkflow } from '../rig/api.ts'
import { waitForCompleted } from '../rig/completed.ts'
import { median, percentile, round } from '../rig/measure.ts'
import { openStage, type Stage } from '../rig/stage.ts'
import { measureSteps } from '../rig/step-times.ts'

interface Scene {
  latencyMs: number
  jitter: number
  open: number
  runs: number
}

const targetMs = 10

/**
 * What Muster adds to a step: the time from when an answer leaves the model server until the run's
 * next call arrives there.
 */
export async function overhead(): Promise<Figure[]> {
  await using stage = await openStage({ runConcurrency: 500 })
  const workflowId = await createWorkflow(stage.muster.url)
  const promised: Scene = { latencyMs: 200, jitter: 0, open: 250, runs: 4_000 }
  await play(stage, workflowId, { ...promised, runs: 1_000 })
  const rounds = []
  for (let number = 0; number < 5; number++) rounds.push(await play(stage, workflowId, promised))
  const medians = rounds.map((measured) => median(measured.addedMs))
  const addedMs = rounds.flatMap((measured) => measured.addedMs)
  const perSecond = median(rounds.map((measured) => measured.perSecond))
  const figures = [
    figure(
      `added a step, model at 200 ms, 250 runs open (${round(perSecond, 0)} runs/s), p50 / p99`,
      `${round(percentile(addedMs, 0.5))} / ${round(percentile(addedMs, 0.99))} ms`,
    ),
    figure(
      'the same, p50 of each of five rounds',
      medians.map((one) => `${round(one)} ms`).join(', '),
      `each ≤ ${targetMs} ms`,
      medians.every((one) => one <= targetMs),
    ),
  ]
  const others: (Scene & { name: string })[] = [
    { name: 'model at 200 ms, 100 runs open', latencyMs: 200, jitter: 0, open: 100, runs: 1_500 },
    {
      name: 'model at 2 s ± 50 %, 500 runs open',
      latencyMs: 2_000,
      jitter: 0.5,
      open: 500,
      runs: 1_500,
    },
  ]
  for (const scene of others) {
    const measured = await play(stage, workflowId, scene)
    figures.push(
      figure(
        `the same, ${scene.name} (${round(measured.perSecond, 0)} runs/s)`,
        `${round(percentile(measured.addedMs, 0.5))} / ${round(percentile(measured.addedMs, 0.99))} ms`,
      ),
    )
  }
  return figures
}

let played = 0

async function play(
  { muster, model, load, database }: Stage,
  workflowId: string,
  { latencyMs, jitter, open, runs }: Scene,
): Promise<{ addedMs: number[]; perSecond: number }> {
  model.setLatency(latencyMs, jitter)
  const firstTag = played
  await load.trigger({
    url: muster.url,
    workflowId,
    modelUrl: model.url,
    firstTag,
    count: runs,
    window: open,
  })
  played += runs
  await waitForCompleted(database, played, 120_000)
  return measureSteps(await model.takeCalls(), { firstTag, count: runs, open })
}
