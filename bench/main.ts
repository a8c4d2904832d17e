import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { apiUnderLoad } from './api-under-load.ts'
import { consoleInBrowser } from './console.ts'
import { compareCheckouts, comparedNames } from './compare.ts'
import { contenderNames, type ContenderName } from './contenders.ts'
import { costPerRun } from './cost-per-run.ts'
import { fairness } from './fairness.ts'
import { type Figure, replacePart, toReport } from './report.ts'
import { idleStart } from './idle-start.ts'
import { largeAccount } from './large-account.ts'
import { manyStreams } from './many-streams.ts'
import { millionRuns } from './million-runs.ts'
import { overhead } from './overhead.ts'
import { toPeersChart } from './peers-chart.ts'
import { toPeersReport } from './peers-report.ts'
import { comparePeers } from './peers.ts'
import { recovery } from './recovery.ts'
import { spread } from './spread.ts'
import { throughput } from './throughput.ts'
import { usage } from './usage.ts'
import { waitingRuns } from './waiting-runs.ts'
import { webhookSpeed } from './webhook-speed.ts'

/**
 * `node bench/main.ts [names…] [--write]`: measures Muster's promises about speed and recovery, all
 * on this machine. Prints a Markdown table; `--write`, without names, puts it into
 * docs/benchmarks.md. `peers`, which runs alone, compares Muster with other frameworks, or with
 * those that `--only` names; `--write` puts its table and chart there too. `compare FOLDER [names…]
 * [--rounds 4]` measures another checkout and this one in turn.
 */
const benchmarks: Record<string, () => Promise<Figure[]>> = {
  throughput,
  overhead,
  'idle-start': idleStart,
  'api-under-load': apiUnderLoad,
  fairness,
  'million-runs': millionRuns,
  'large-account': largeAccount,
  usage,
  'waiting-runs': waitingRuns,
  'cost-per-run': costPerRun,
  'many-streams': manyStreams,
  console: consoleInBrowser,
  recovery,
  'webhook-speed': webhookSpeed,
  spread,
}
const longestMs = 15 * 60_000
const longestPeersMs = 90 * 60_000

const { values, positionals } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string', default: '4' },
  },
  allowPositionals: true,
})
const page = new URL('../docs/benchmarks.md', import.meta.url)
const chart = new URL('../docs/benchmarks-peers.svg', import.meta.url)

if (positionals[0] === 'compare') await runCompare()
else if (positionals.includes('peers')) await runPeers()
else await runOwn()

async function runCompare(): Promise<void> {
  const [, folder, ...names] = positionals
  if (folder === undefined) refuse('compare needs the folder of another checkout')
  const unknown = names.filter((name) => !comparedNames.includes(name))
  if (unknown.length > 0) {
    refuse(`${unknown.join(', ')} is not compared; there are ${comparedNames.join(', ')}`)
  }
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 20) refuse('--rounds is from 1 to 20')
  const chosen = names.length === 0 ? comparedNames : names
  const { report, worse } = await compareCheckouts(folder, chosen, rounds)
  console.log(report)
  if (worse.length > 0) {
    console.error(`Worse by more than 5 %: ${worse.join('; ')}`)
    process.exitCode = 1
  }
}

async function runPeers(): Promise<void> {
  if (positionals.length > 1) refuse('The benchmark peers goes alone')
  const names = values.only?.split(',') ?? contenderNames
  const unknown = names.filter((name) => !contenderNames.some((known) => known === name))
  if (unknown.length > 0)
    refuse(`No contender ${unknown.join(', ')}; there are ${contenderNames.join(', ')}`)
  if (values.write && values.only !== undefined) refuse('--write goes without --only')
  const comparison = await inTime('peers', longestPeersMs, () =>
    comparePeers(names as ContenderName[]),
  )
  const report = await toPeersReport(comparison)
  console.log(`${report.peers}\n\n${report.bare}`)
  if (!values.write) return
  const written = replacePart(await readFile(page, 'utf8'), 'peers', report.peers)
  await writeFile(page, replacePart(written, 'bare', report.bare))
  await writeFile(chart, toPeersChart(comparison.standings))
}

async function runOwn(): Promise<void> {
  const unknown = positionals.filter((name) => !(name in benchmarks))
  if (unknown.length > 0) {
    const names = [...Object.keys(benchmarks), 'peers'].join(', ')
    refuse(`No benchmark ${unknown.join(', ')}; there are ${names}`)
  }
  if (values.write && positionals.length > 0) {
    refuse('The page holds all benchmarks: --write goes without names')
  }
  const figures: Figure[] = []
  for (const name of positionals.length === 0 ? Object.keys(benchmarks) : positionals) {
    console.error(`${name} …`)
    figures.push(...(await inTime(name, longestMs, async () => (await benchmarks[name]?.()) ?? [])))
  }
  const report = await toReport(figures)
  console.log(report)
  if (values.write) await writeFile(page, replacePart(await readFile(page, 'utf8'), 'own', report))
  if (figures.some(({ isMet }) => isMet === false)) process.exitCode = 1
}

async function inTime<T>(name: string, boundMs: number, benchmark: () => Promise<T>): Promise<T> {
  // Everything that a benchmark started ends with this process.
  const bound = setTimeout(() => {
    console.error(`${name} took more than ${boundMs / 60_000} minutes`)
    process.exit(1)
  }, boundMs)
  try {
    return await benchmark()
  } finally {
    clearTimeout(bound)
  }
}

function refuse(why: string): never {
  console.error(why)
  process.exit(2)
}
