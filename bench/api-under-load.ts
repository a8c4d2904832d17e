import { figure, type Figure } from './report.ts'
import { createWorkflow, timeGet } from '../rig/api.ts'
import { percentile, round } from '../rig/measure.ts'
import { openStage } from '../rig/stage.ts'

const queuedRuns = 10_000
const requests = 2_000
const clients = 8
const targetMs = 50

/** Reads of runs while thousands are queued and 500 are running, with a model latency of 2 s. */
export async function apiUnderLoad(): Promise<Figure[]> {
  await using stage = await openStage({ runConcurrency: 500 })
  const { muster, model, load, database } = stage
  const workflowId = await createWorkflow(muster.url)
  model.setLatency(2_000, 0.5)
  // Some start running while the others are triggered.
  const count = queuedRuns + 2_000
  const { runIds } = await load.trigger({
    url: muster.url,
    workflowId,
    modelUrl: model.url,
    count,
  })
  const queuedBefore = await countQueued()
  const tookMs: number[] = []
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (tookMs.length + clients <= requests) {
        const id = runIds[Math.floor(Math.random() * runIds.length)] as string
        tookMs.push(await timeGet(muster.url, `/v1/runs/${id}`))
      }
    }),
  )
  const p99 = percentile(tookMs, 0.99)
  const queuedAfter = await countQueued()
  // A graceful stop would take 20 s.
  await muster.kill()
  return [
    figure(
      `GET /v1/runs/{id}, ${clients} clients, ${queuedBefore} to ${queuedAfter} runs queued, p50 / p99`,
      `${round(percentile(tookMs, 0.5))} / ${round(p99)} ms`,
      `p99 < ${targetMs} ms`,
      p99 < targetMs,
    ),
  ]

  async function countQueued(): Promise<number> {
    const rows = await database.query<{ count: number }>(
      `select count(*)::int as count from runs where status = 'queued'`,
    )
    return rows[0]?.count ?? 0
  }
}
