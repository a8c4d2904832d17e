import { figure, type Figure } from './report.ts'
import { createWorkflow } from '../rig/api.ts'
import { postmasterPid } from '../rig/bench-database.ts'
import { waitForCompleted } from '../rig/completed.ts'
import { familyCpuMs, percentile, processCpuMs, round } from '../rig/measure.ts'
import type { Load } from '../rig/load-process.ts'
import { openStage, type Stage } from '../rig/stage.ts'

const runs = 5_000
const warmUpRuns = 1_000
const targetRunsPerSecond = 250

/** Runs that one process completes per second, with a model that answers at once. */
export async function throughput(): Promise<Figure[]> {
  await using stage = await openStage()
  const workflowId = await createWorkflow(stage.muster.url)
  await play(stage, { workflowId, firstTag: 0, count: warmUpRuns })
  const played = { workflowId, firstTag: warmUpRuns, count: runs }
  const { perSecond, tookMs, nodeMs, postgresMs } = await play(stage, played)
  const keyed = { ...played, firstTag: warmUpRuns + runs, isKeyed: true }
  return [
    figure(
      `runs/s, two steps, 2 KB input, model at 0 ms (${runs} runs)`,
      round(perSecond, 0),
      `≥ ${targetRunsPerSecond}`,
      perSecond >= targetRunsPerSecond,
    ),
    figure(
      'trigger → completed, 256 runs open, p50 / p99',
      `${round(percentile(tookMs, 0.5), 0)} / ${round(percentile(tookMs, 0.99), 0)} ms`,
    ),
    figure('CPU of Muster a run', `${round(nodeMs, 2)} ms`),
    figure('CPU of PostgreSQL a run', `${round(postgresMs, 2)} ms`),
    withKeys(await play(stage, keyed)),
  ]
}

function withKeys({ perSecond, nodeMs, postgresMs }: Played): Figure {
  return figure(
    'the same, each trigger with an Idempotency-Key: runs/s; CPU of Muster / PostgreSQL a run',
    `${round(perSecond, 0)}; ${round(nodeMs, 2)} / ${round(postgresMs, 2)} ms`,
  )
}

interface Played {
  perSecond: number
  /** From trigger to completed. */
  tookMs: number[]
  /** CPU time per run. */
  nodeMs: number
  postgresMs: number
}

async function play(
  { muster, model, load, database, dataDir }: Stage,
  runs: Pick<Load, 'workflowId' | 'isKeyed'> & { firstTag: number; count: number },
): Promise<Played> {
  const postgres = await postmasterPid(dataDir)
  const measureCpu = async () => ({
    nodeMs: await processCpuMs(muster.pid),
    postgresMs: await familyCpuMs(postgres),
  })
  const before = await measureCpu()
  const { runIds } = await load.trigger({
    url: muster.url,
    modelUrl: model.url,
    window: 256,
    ...runs,
  })
  await waitForCompleted(database, runs.firstTag + runs.count, 120_000)
  const after = await measureCpu()
  const rows = await database.query<{ created: number; finished: number }>(
    `select extract(epoch from created_at)::float8 * 1000 as created,
            extract(epoch from finished_at)::float8 * 1000 as finished
     from runs where id = any($1) order by finished_at`,
    [runIds],
  )
  // The middle 80 % excludes start and end of the load.
  const at = (share: number): number => rows[Math.floor(rows.length * share)]?.finished ?? 0
  return {
    perSecond: (rows.length * 0.8) / ((at(0.9) - at(0.1)) / 1_000),
    tookMs: rows.map(({ created, finished }) => finished - created),
    nodeMs: (after.nodeMs - before.nodeMs) / runs.count,
    postgresMs: (after.postgresMs - before.postgresMs) / runs.count,
  }
}
