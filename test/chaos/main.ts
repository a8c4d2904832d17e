import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { chaos, type ChaosReport } from './chaos.ts'
import { faultKinds } from './schedule.ts'

/**
 * `npm run chaos -- [--minutes 10] [--seed N]`: see docs/reliability.md. Exits with 1 when anything
 * was lost, stuck or done twice. Everything that it started ends with it.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
  },
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
if (!(minutes > 0 && minutes <= 600) || !Number.isSafeInteger(seed) || seed < 0) {
  console.error('--minutes is a number up to 600, --seed a whole number from 0')
  process.exit(2)
}

/** Starting, settling and judging; each has bounds of its own. */
const restMs = 15 * 60_000
const shownFlaws = 10

setTimeout(
  () => {
    console.error('The chaos does not end')
    process.exit(1)
  },
  minutes * 60_000 + restMs,
).unref()
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    console.error(`${name}: ending what was started`)
    interrupted.abort()
    process.exitCode = 130
  })
}

try {
  console.error(`seed ${seed}, ${minutes} minutes of faults`)
  const report = await chaos({ seed, minutes, signal: interrupted.signal, log: console.error })
  print(report)
  if (Object.values(report.flaws).some((flaws) => flaws.length > 0)) process.exitCode = 1
} catch (error) {
  if (!interrupted.signal.aborted) {
    console.error(error)
    process.exitCode = 1
  }
}
// Everything is disposed. Node itself may spin at its end over sockets that were reset.
process.exit()

function print({ faults, done, flaws }: ChaosReport): void {
  const rows: [string, string | number][] = [
    ['seed', seed],
    ['minutes of faults', minutes],
    ...faultKinds.map((kind): [string, number] => [kind, faults.get(kind) ?? 0]),
    ...Object.entries(done),
    ...Object.entries(flaws).map(([kind, found]): [string, string] => [
      kind,
      `**${found.length}**`,
    ]),
  ]
  console.log(['| what | count |', '| --- | --- |'].join('\n'))
  for (const [what, count] of rows) console.log(`| ${what} | ${count} |`)
  for (const [kind, found] of Object.entries(flaws)) {
    if (found.length > 0) console.error(`\n${kind}:\n${found.slice(0, shownFlaws).join('\n')}`)
  }
}
