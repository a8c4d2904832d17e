import { figure, type Figure } from './report.ts'
import { createWorkflow } from '../rig/api.ts'
import { postmasterPid } from '../rig/bench-database.ts'
import { waitForCompleted } from '../rig/completed.ts'
import { familyCpuMs, percentile, processCpuMs, round } from '../rig/measure.ts'
import { setStage } from '../rig/stage.ts'

const runs = 5_000
const warmUpRuns = 1_000
const targetRunsPerSecond = 250

/** Runs that one process completes in a second, with a model that answers at once. */
export async function throughput(): Promise<Figure[]> {
  await using stage = await setStage()
  const { muster, model, load, database } = stage
  const workflowId = await createWorkflow(muster.url)
  const postgres = await postmasterPid(stage.dataDir)
  const common = {
    url: muster.url,
    workflowId,
    modelUrl: model.url,
    window: 256,
  }
  await load.trigger({ ...common, count: warmUpRuns })
  await waitForCompleted(database, warmUpRuns, 120_000)

  const before = { node: await processCpuMs(muster.pid), postgres: await familyCpuMs(postgres) }
  const { runIds } = await load.trigger({ ...common, firstTag: warmUpRuns, count: runs })
  await waitForCompleted(database, warmUpRuns + runs, 120_000)
  const nodeMs = (await processCpuMs(muster.pid)) - before.node
  const postgresMs = (await familyCpuMs(postgres)) - before.postgres

  const rows = await database.query<{ created: number; finished: number }>(
    `select extract(epoch from created_at)::float8 * 1000 as created,
            extract(epoch from finished_at)::float8 * 1000 as finished
     from runs where id = any($1) order by finished_at`,
    [runIds],
  )
  // The middle 80 % leaves out filling and emptying.
  const at = (share: number): number => rows[Math.floor(rows.length * share)]?.finished ?? 0
  const perSecond = (rows.length * 0.8) / ((at(0.9) - at(0.1)) / 1_000)
  const tookMs = rows.map(({ created, finished }) => finished - created)
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
    figure('CPU of Muster a run', `${round(nodeMs / runs, 2)} ms`),
    figure('CPU of PostgreSQL a run', `${round(postgresMs / runs, 2)} ms`),
  ]
}
