import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contenderNames, type ContenderName } from './contenders.ts'
import type { Comparison, Standing, Throughput } from './peers.ts'
import { peerFolder } from '../rig/peer-process.ts'
import { round } from '../rig/measure.ts'
import { toMeasured, toTable } from './report.ts'

/** The comparison, as the parts `peers` and `bare` of the page. */
export async function toPeersReport({
  standings,
  bare,
}: Comparison): Promise<{ peers: string; bare: string }> {
  const rows = await Promise.all(
    [...standings].map(async ([name, standing]) => [await title(name), ...toCells(standing)]),
  )
  const bareRows = await Promise.all(
    [...bare].map(async ([name, throughput]) => [
      await title(name),
      ...toBareCells(throughput, standings.get(name)),
    ]),
  )
  const peers = [
    await toMeasured('npm run bench -- peers'),
    toTable([columns, ...rows]),
    '![The same figures as bars](benchmarks-peers.svg)',
    summary(standings),
  ]
  return { peers: peers.join('\n\n'), bare: toTable([bareColumns, ...bareRows]) }
}

function summary(standings: Comparison['standings']): string {
  const speedOf = (name: ContenderName): number => standings.get(name)?.runsPerSecond ?? Number.NaN
  const own = speedOf('muster')
  // A subset of the contenders makes no comparison.
  if (standings.size < contenderNames.length) return ''
  const speeds = (Object.keys(libraries) as ContenderName[]).map(speedOf)
  const best = Math.max(...speeds)
  const share = (name: ContenderName): string => `${round((100 * own) / speedOf(name), 0)} %`
  return `Muster does ${round(own / best)} times the runs/s of the fastest library, ${share('floor-plain')} of those of single statements without a library, and ${share('floor')} of those of batched ones.`
}

const columns = [
  '',
  'runs/s',
  'added a step, p50 / p99',
  'CPU a run; of its server',
  'memory a run in progress',
  'memory a run that waits for a human',
  'kill -9: until all are completed',
]

const bareColumns = [
  '',
  'runs/s, bare calls',
  'with its model client',
  'CPU a run, bare calls',
  'with its model client',
]

function toCells(standing: Standing): string[] {
  const { addedP50Ms, addedP99Ms, lostShare } = standing
  const lost = lostShare === 0 ? '' : `, ${round(100 * lostShare, 0)} % lost`
  return [
    round(standing.runsPerSecond, 0),
    `${round(addedP50Ms)} / ${round(addedP99Ms)} ms`,
    `${round(standing.cpuMs, 2)} ms; ${round(standing.storeCpuMs, 2)} ms`,
    toKilobytes(standing.bytesInProgress),
    toKilobytes(standing.bytesWaiting),
    `${round(standing.resumeMs / 1_000)} s${lost}`,
  ]
}

function toBareCells(bare: Throughput, documented: Throughput | undefined): string[] {
  return [
    round(bare.runsPerSecond, 0),
    round(documented?.runsPerSecond ?? Number.NaN, 0),
    `${round(bare.cpuMs, 2)} ms`,
    `${round(documented?.cpuMs ?? Number.NaN, 2)} ms`,
  ]
}

function toKilobytes(bytes: number): string {
  // A value below the noise of a heap is shown as zero.
  return `${round(Math.max(0, bytes) / 1_024)} KB`
}

async function title(name: ContenderName): Promise<string> {
  if (name === 'muster') return 'Muster'
  if (name === 'floor') return 'No library, statements batched'
  if (name === 'floor-plain') return 'No library, one statement a write'
  const [library, packageName, folder, note] = libraries[name]
  return `${library} ${await versionOf(folder, packageName)}${note}`
}

async function versionOf(folder: string, packageName: string): Promise<string> {
  const text = await readFile(join(peerFolder(folder), 'package.json'), 'utf8')
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> }
  return dependencies[packageName] ?? 'unknown'
}

const libraries = {
  restate: ['Restate', '@restatedev/restate-server', 'restate', ''],
  openworkflow: ['OpenWorkflow', 'openworkflow', 'openworkflow', ''],
  dbos: ['DBOS Transact', '@dbos-inc/dbos-sdk', 'dbos', ''],
  mastra: ['Mastra', '@mastra/core', 'mastra', ''],
  langgraph: ['LangGraph.js', '@langchain/langgraph', 'langgraph', ', `sync`'],
  'langgraph-async': ['LangGraph.js', '@langchain/langgraph', 'langgraph', ', `async`'],
} as const
