import { makeAccounts } from '../rig/accounts.ts'
import { createWorkflow, triggerRun } from '../rig/api.ts'
import { findFlaws, waitForCompleted } from '../rig/completed.ts'
import { familyCpuMs, round } from '../rig/measure.ts'
import { startModelProcess } from '../rig/model-process.ts'
import { startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import * as citus from '../server/db/cluster/test-citus.ts'
import { figure, type Figure } from './report.ts'
import { isEven, readCounts, resetCounts } from './spread-counts.ts'
import { openCluster, openServer, type Node, type Stage } from './spread-stage.ts'

const runs = Number(process.env['BENCH_SPREAD_RUNS'] ?? 10_000)
const accountCounts = (process.env['BENCH_SPREAD_ACCOUNTS'] ?? '5,200').split(',').map(Number)
const connections = Number(process.env['BENCH_SPREAD_CLIENTS'] ?? 256)
const mostTimes = 2.5

/**
 * The cost of runs of many accounts for PostgreSQL, on the cluster of `MUSTER_TEST_CITUS_URL` and
 * in a plain database on its coordinator's server: CPU per run and, for the cluster, whether writes
 * were committed in two phases or went to several shards, and how evenly the nodes are loaded, from
 * the statistics of Citus and PostgreSQL. Without a cluster, only the plain database, on the
 * embedded PostgreSQL. The servers must be on this machine, because their processes are read.
 */
export async function spread(): Promise<Figure[]> {
  const address = process.env[citus.citusVariable]
  const cluster = address === undefined ? undefined : await citus.findCluster(address)
  const figures: Figure[] = []
  for (const count of accountCounts) {
    const one = await measure(count, (dataDir) => openServer(cluster, dataDir), 'one server')
    figures.push(...one.figures)
    if (cluster === undefined) continue
    const all = await measure(count, () => openCluster(cluster), 'the cluster')
    const times = all.cpuMs / one.cpuMs
    figures.push(
      ...all.figures,
      figure(
        `CPU of the cluster over that of one server, ${count} accounts`,
        round(times, 2),
        `≤ ${mostTimes}`,
        times <= mostTimes,
      ),
    )
  }
  return figures
}

async function measure(
  accountCount: number,
  open: (dataDir: string) => Promise<Stage>,
  place: string,
): Promise<{ figures: Figure[]; cpuMs: number }> {
  await using folder = await makeScratchFolder()
  await using stage = await open(folder.dataDir)
  await using model = await startModelProcess()
  const { nodes, url } = stage
  await using muster = await startMuster({
    folder: folder.path,
    env: {
      DATABASE_URL: url,
      MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
      MUSTER_RUN_CONCURRENCY: '500',
      MUSTER_ACCOUNT_CONCURRENCY: '500',
    },
  })
  const workflows: { key: string; id: string }[] = []
  for (const { adminKey: key } of await makeAccounts(url, accountCount)) {
    workflows.push({ key, id: await createWorkflow(muster.url, 'bench', key) })
  }
  let triggered = 0
  const play = async (count: number): Promise<void> => {
    const end = triggered + count
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (triggered < end) {
          const tag = triggered++
          const { key, id } = workflows[tag % workflows.length] as { key: string; id: string }
          await triggerRun(muster.url, id, `#${tag}# ${'Facts. '.repeat(290)}`, key)
        }
      }),
    )
    await waitForCompleted(nodes[0].database, end, 240_000)
  }
  // After this every connection has prepared its statements.
  await play(Math.min(2_000, runs))
  const isCluster = nodes.length > 1
  if (isCluster) await resetCounts(nodes)
  const before = await readCpu(nodes)
  const startedAt = performance.now()
  await play(runs)
  const seconds = (performance.now() - startedAt) / 1_000
  const after = await readCpu(nodes)
  const cpu = after.map((ms, index) => (ms - (before[index] ?? 0)) / runs)
  const cpuMs = cpu.reduce((sum, ms) => sum + ms, 0)
  const flaws = isCluster ? [] : await findFlaws(nodes[0].database)
  const name = `${runs} runs of ${accountCount} accounts on ${place}`
  const figures = [
    figure(`${name}: runs/s`, round(runs / seconds, 0)),
    figure(
      'the same: CPU of PostgreSQL a run, of each server',
      `${round(cpuMs, 2)} ms (${cpu.map((ms) => round(ms, 2)).join(', ')})`,
    ),
    figure('the same: flaws', String(flaws.length), '0', flaws.length === 0),
  ]
  if (isCluster) {
    // A few accounts cannot be distributed evenly.
    const isMany = accountCount >= 100
    figures.push(
      isEven('CPU of each worker over their mean', cpu.slice(1), isMany),
      ...(await readCounts(nodes, { runs, seconds, isMany })),
    )
  }
  return { figures, cpuMs }
}

const readCpu = (nodes: readonly Node[]): Promise<number[]> =>
  Promise.all(nodes.map(({ pid }) => familyCpuMs(pid)))
