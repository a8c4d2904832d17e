import { readFile, writeFile } from 'node:fs/promises'
import type { ChaosReport } from './chaos.ts'
import { faultKinds, type FaultKind } from './schedule.ts'

/** The faults, each by itself, with the results: the table of docs/reliability.md. */
export interface MatrixRow {
  fault: FaultKind
  seed: number
  report: Pick<ChaosReport, 'skipped' | 'done' | 'recoveries' | 'flaws'>
}

/** Columns with the kinds of flaws that they count. Other flaws count in the last column. */
const columns: [name: string, flaws: readonly string[]][] = [
  [
    'runs lost, stuck, twice',
    ['runs lost', 'runs stuck', 'runs failed', 'runs twice', 'triggers never accepted'].concat(
      'jobs and deliveries left over',
    ),
  ],
  [
    'steps, events, usage wrong',
    ['steps twice or missing', 'events twice or missing'].concat('notes kept twice', 'usage wrong'),
  ],
  [
    'actions twice, unasked, open',
    ['actions twice', 'actions without approval', 'actions done that never arrived'].concat(
      'actions left open',
    ),
  ],
  ['answers lost, twice', ['answers counted twice', 'answers lost']],
  ['webhooks lost, wrong', ['webhook events lost', 'webhooks that are not what was promised']],
]
const others = 'anything else'
/** Has a column of its own, in seconds. */
const late = 'no new run within'

export function toMatrix(rows: readonly MatrixRow[]): string {
  const head = ['fault', 'seed', 'runs', 'back after', ...columns.map(([name]) => name), others]
  const lines = rows.map(({ fault, seed, report }) => {
    const { skipped, done, recoveries, flaws } = report
    const runs =
      (done['runs accepted before the cut-off'] ?? 0) + (done['runs accepted since'] ?? 0)
    if (recoveries.length === 0) {
      return [
        `\`${fault}\``,
        seed,
        skipped.length > 0 ? 'skipped' : runs,
        '–',
        ...head.slice(4).map(() => '–'),
      ]
    }
    const named = new Set(columns.flatMap(([, names]) => names))
    const rest = Object.keys(flaws).filter((name) => !named.has(name) && !name.startsWith(late))
    const count = (names: readonly string[]): number =>
      names.reduce((sum, name) => sum + (flaws[name]?.length ?? 0), 0)
    const seconds = Math.max(...recoveries.map((one) => one.seconds)).toFixed(1)
    const counts = [...columns.map(([, names]) => count(names)), count(rest)]
    return [`\`${fault}\``, seed, runs, `${seconds} s`, ...counts]
  })
  return [head, head.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** The stored results of a matrix, in the order of the faults. */
export async function readRows(file: string): Promise<MatrixRow[]> {
  const rows = JSON.parse(await readFile(file, 'utf8')) as MatrixRow[]
  return faultKinds.map((kind) => {
    const row = rows.find(({ fault }) => fault === kind)
    if (row === undefined) throw new Error(`${file} has nothing of ${kind}: play it whole`)
    return row
  })
}

const [begin, end] = ['<!-- matrix -->', '<!-- end of matrix -->']

/** Puts the table between its markers. */
export async function writeMatrix(file: string, table: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  const [before, after] = [text.indexOf(begin), text.indexOf(end)]
  if (before === -1 || after < before) throw new Error(`${file} has no ${begin} … ${end}`)
  await writeFile(
    file,
    `${text.slice(0, before + begin.length)}\n\n${table}\n\n${text.slice(after)}`,
  )
}
