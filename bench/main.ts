import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { apiUnderLoad } from './api-under-load.ts'
import type { Figure } from './figure.ts'
import { idleStart } from './idle-start.ts'
import { millionRuns } from './million-runs.ts'
import { overhead } from './overhead.ts'
import { recovery } from './recovery.ts'
import { toReport } from './report.ts'
import { throughput } from './throughput.ts'
import { webhookChaos } from './webhook-chaos.ts'
import { webhookSpeed } from './webhook-speed.ts'

/**
 * `node bench/main.ts [names…] [--write]`: measures what Muster promises about speed and recovery,
 * all on this machine. Prints a Markdown table; `--write`, without names, puts it into
 * docs/benchmarks.md.
 */
const benchmarks: Record<string, () => Promise<Figure[]>> = {
  throughput,
  overhead,
  'idle-start': idleStart,
  'api-under-load': apiUnderLoad,
  'million-runs': millionRuns,
  recovery,
  'webhook-speed': webhookSpeed,
  'webhook-chaos': webhookChaos,
}
const longestMs = 15 * 60_000

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !(name in benchmarks))
if (unknown.length > 0) {
  console.error(
    `No benchmark ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}`,
  )
  process.exit(2)
}
if (values.write && positionals.length > 0) {
  console.error('The page holds all benchmarks: --write goes without names')
  process.exit(2)
}

const figures: Figure[] = []
for (const name of positionals.length === 0 ? Object.keys(benchmarks) : positionals) {
  console.error(`${name} …`)
  // Everything that a benchmark started ends with this process.
  const bound = setTimeout(() => {
    console.error(`${name} took more than ${longestMs / 60_000} minutes`)
    process.exit(1)
  }, longestMs)
  figures.push(...((await benchmarks[name]?.()) ?? []))
  clearTimeout(bound)
}
const report = await toReport(figures)
console.log(report)
if (values.write) await writeFile(new URL('../docs/benchmarks.md', import.meta.url), report)
if (figures.some(({ isMet }) => isMet === false)) process.exitCode = 1
