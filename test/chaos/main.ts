import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chaos, type ChaosReport } from './chaos.ts'
import { readRows, toMatrix, writeMatrix, type MatrixRow } from './matrix.ts'
import { restartVariable } from './citus-ground.ts'
import { citusVariable } from '../../server/db/cluster/test-citus.ts'
import { aloneSeconds, clusterKinds, faultKinds, type FaultKind } from './schedule.ts'

/**
 * `npm run chaos -- --matrix FILE.json [--fault NAME]… [--seconds 5] [--seed N]` plays each fault
 * by itself, stores the results in FILE.json and, if it played all, writes the table of
 * docs/reliability.md. `npm run chaos -- --table-of FILE.json` writes that table again from stored
 * results. `npm run chaos -- [--minutes 10] [--fault NAME]… [--table NAME]… [--seconds N] [--seed
 * N]`: see docs/reliability.md. Exits with 1 if anything was lost, stuck, done twice or too late.
 * Processes that it starts end with it.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    fault: { type: 'string', multiple: true, default: [] },
    table: { type: 'string', multiple: true },
    seconds: { type: 'string' },
    matrix: { type: 'string' },
    'table-of': { type: 'string' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
  },
})
const docs = join(import.meta.dirname, '../../docs/reliability.md')
const minutes = Number(values.minutes ?? (values.fault.length > 0 ? 0 : 10))
const seconds = values.seconds === undefined ? undefined : Number(values.seconds)
const seed = Number(values.seed)
if (!(minutes >= 0 && minutes <= 600)) refuse('--minutes is a number from 0 to 600')
if (seconds !== undefined && !(seconds > 0 && seconds <= 600)) refuse('--seconds is up to 600')
if (!Number.isSafeInteger(seed) || seed < 0) refuse('--seed is a whole number from 0')
const [address, restart] = [process.env[citusVariable], process.env[restartVariable]]
if (address !== undefined && restart === undefined) {
  refuse(
    `${citusVariable} is set, expected ${restartVariable} too, a command that starts the server of a port`,
  )
}
const cluster = address === undefined || restart === undefined ? undefined : { address, restart }
const allKinds = cluster === undefined ? faultKinds : clusterKinds
const unknown = values.fault.filter((name) => !allKinds.some((kind) => kind === name))
if (unknown.length > 0) refuse(`No fault ${unknown.join(', ')}; there are ${allKinds.join(', ')}`)
const tableOf = values['table-of']
if (tableOf !== undefined) {
  await writeMatrix(docs, toMatrix(await readRows(tableOf)))
  process.exit()
}
const kinds = values.fault.length > 0 ? (values.fault as FaultKind[]) : allKinds

/** For start, recoveries, settling and judging, each of which has its own limit. */
const restMs = values.matrix === undefined ? 30 * 60_000 : 180 * 60_000
const mostTables = 60
const longestMs =
  minutes * 60_000 + mostTables * 1_000 * (seconds ?? aloneSeconds['lock-table']) + restMs
const shownFlaws = 10
const shownCharacters = 2_000

setTimeout(() => {
  console.error('The chaos does not end')
  process.exit(1)
}, longestMs).unref()
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    console.error(`${name}: ending what was started`)
    interrupted.abort()
    process.exitCode = 130
  })
}

try {
  if (values.matrix === undefined) await playAll()
  else await playEach(values.matrix)
} catch (error) {
  if (!interrupted.signal.aborted) {
    console.error(error)
    process.exitCode = 1
  }
}
// Everything is disposed. Node itself may spin at its end because of sockets that were reset.
process.exit()

async function playAll(): Promise<void> {
  console.error(`seed ${seed}, ${minutes} minutes of storm, then alone: ${kinds.join(', ')}`)
  const { signal } = interrupted
  const report = await chaos({
    seed,
    stormMinutes: minutes,
    stormKinds: allKinds,
    kinds,
    cluster,
    tables: values.table,
    seconds,
    signal,
    log: console.error,
  })
  print(report)
  noteFlaws(report)
}

/**
 * Each fault on a database and processes of its own, so that the results are about this fault only.
 */
async function playEach(file: string): Promise<void> {
  const rows: MatrixRow[] = []
  for (const [place, fault] of kinds.entries()) {
    const report = await chaos({
      seed: seed + place,
      stormMinutes: 0,
      stormKinds: allKinds,
      kinds: [fault],
      cluster,
      // The table that all work writes to.
      tables: values.table ?? ['muster.runs'],
      seconds: seconds ?? 5,
      signal: interrupted.signal,
      log: (line) => console.error(`${fault}: ${line}`),
    })
    const { faults: _, ...seen } = report
    rows.push({ fault, seed: seed + place, report: seen })
    noteFlaws(report)
    await writeFile(file, `${JSON.stringify(rows, null, 2)}\n`)
  }
  const table = toMatrix(rows)
  console.log(table)
  if (kinds === faultKinds) await writeMatrix(docs, table)
}

function noteFlaws({ flaws }: ChaosReport): void {
  if (Object.values(flaws).some((found) => found.length > 0)) process.exitCode = 1
}

function print({ faults, skipped, done, recoveries, flaws }: ChaosReport): void {
  const slowest = Map.groupBy(recoveries, ({ fault }) => fault.split(' of ')[0] ?? fault)
  const rows: [string, string | number][] = [
    ['seed', seed],
    ['minutes of storm', minutes],
    ...allKinds.map((kind): [string, number] => [kind, faults.get(kind) ?? 0]),
    ...Object.entries(done),
    ...[...slowest].map(([fault, all]): [string, string] => [
      `${fault}: until a new run is completed${all.length > 1 ? `, slowest of ${all.length}` : ''}`,
      `${Math.max(...all.map((one) => one.seconds)).toFixed(1)} s`,
    ]),
    ...Object.entries(flaws).map(([kind, found]): [string, string] => [
      kind,
      `**${found.length}**`,
    ]),
  ]
  console.log(['| what | count |', '| --- | --- |'].join('\n'))
  for (const [what, count] of rows) console.log(`| ${what} | ${count} |`)
  for (const [kind, found] of Object.entries(flaws)) {
    if (found.length > 0) console.error(`\n${kind}:\n${shorten(found).join('\n')}`)
  }
  for (const line of skipped) console.error(`\nSKIPPED ${line}`)
}

function shorten(found: string[]): string[] {
  return found.slice(0, shownFlaws).map((one) => one.slice(0, shownCharacters))
}

function refuse(why: string): never {
  console.error(why)
  process.exit(2)
}
