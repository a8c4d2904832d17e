import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { median, round } from '../rig/measure.ts'
import { toTable } from './report.ts'

/**
 * Compares two checkouts on the same machine within the hour: both run each benchmark with their
 * own `bench/main.ts`, in the order A B B A. The median of the rounds counts. The figures below are
 * read from the tables that the benchmarks print.
 */
interface Compared {
  name: string
  /** Matches the beginning of the row. */
  row: RegExp
  /** Finds the number in the row's name and value, as its first group. */
  number: RegExp
  isMoreBetter?: boolean
}

const compared: Record<string, Compared[]> = {
  throughput: [
    { name: 'runs/s', row: /^runs\/s, two steps/, number: /\| ([\d.]+)$/, isMoreBetter: true },
    { name: 'trigger → completed, p50 (ms)', row: /^trigger → completed/, number: /\| ([\d.]+)/ },
    { name: 'CPU of Muster a run (ms)', row: /^CPU of Muster/, number: /\| ([\d.]+)/ },
    { name: 'CPU of PostgreSQL a run (ms)', row: /^CPU of PostgreSQL/, number: /\| ([\d.]+)/ },
  ],
  overhead: [
    {
      name: 'added a step, 250 open, model at 200 ms, p50 (ms)',
      row: /^added a step, model at 200 ms, 250/,
      number: /\| ([\d.]+)/,
    },
    {
      name: 'the same, runs/s',
      row: /^added a step, model at 200 ms, 250/,
      number: /\(([\d.]+) runs\/s\)/,
      isMoreBetter: true,
    },
    {
      name: 'added a step, 100 open, p50 (ms)',
      row: /^the same, model at 200 ms, 100/,
      number: /\| ([\d.]+)/,
    },
  ],
  'idle-start': [
    {
      name: 'idle: trigger → first model call, p50 (ms)',
      row: /^idle server: trigger sent → first/,
      number: /\| ([\d.]+)/,
    },
    {
      name: 'idle: trigger → 202, p50 (ms)',
      row: /^idle server: trigger sent → 202/,
      number: /\| ([\d.]+)/,
    },
  ],
  recovery: [
    {
      name: 'kill -9 of the service (s)',
      row: /^kill -9 of the service/,
      number: /\| ([\d.]+)/,
    },
    {
      name: 'kill -9 of one of two workers (s)',
      row: /^kill -9 of one of two workers/,
      number: /\| ([\d.]+)/,
    },
  ],
  fairness: [
    {
      name: 'first model call beside 100,000 queued runs, p50 (ms)',
      row: /^trigger sent → first model call beside/,
      number: /\| ([\d.]+)/,
    },
    {
      name: 'runs/s of the other account',
      row: /^runs\/s of the other/,
      number: /\| ([\d.]+)/,
      isMoreBetter: true,
    },
  ],
  'waiting-runs': [
    {
      name: 'memory with 100,000 waiting runs (MB)',
      row: /^memory of a process over/,
      number: /\| .*\(([\d.]+)/,
    },
    {
      name: 'answer → next model call, p50 (ms)',
      row: /^answer to one of/,
      number: /\| ([\d.]+)/,
    },
  ],
}
export const comparedNames = Object.keys(compared)

const worstRatio = 1.05
const longestMs = 10 * 60_000

export interface Outcome {
  report: string
  /** Figures that are worse than the other checkout's by more than five per cent. */
  worse: string[]
}

/** `other` is the folder of the checkout to compare with, with its packages installed. */
export async function compareCheckouts(
  other: string,
  names: readonly string[],
  rounds: number,
): Promise<Outcome> {
  const checkouts = { before: resolve(other), after: resolve(import.meta.dirname, '..') }
  if (!existsSync(join(checkouts.before, 'bench', 'main.ts'))) {
    throw new Error(`Cannot compare with ${checkouts.before}: it has no bench/main.ts`)
  }
  const rows: string[][] = []
  const worse: string[] = []
  for (const name of names) {
    const texts = { before: [] as string[], after: [] as string[] }
    for (let number = 0; number < rounds; number++) {
      const order = ['before', 'after'] as const
      for (const which of number % 2 === 0 ? order : order.toReversed()) {
        console.error(`${name}, round ${number + 1} of ${rounds}: ${which}`)
        texts[which].push(await runBenchmark(checkouts[which], name))
      }
    }
    for (const figure of compared[name] ?? []) {
      const [before, after] = [texts.before, texts.after].map((all) =>
        all.map((text) => readNumber(text, figure)),
      ) as [number[], number[]]
      console.error(`${figure.name}: ${before.join(', ')}; ${after.join(', ')}`)
      const ratio = median(after) / median(before)
      const isWorse = (figure.isMoreBetter === true ? 1 / ratio : ratio) > worstRatio
      if (isWorse) worse.push(figure.name)
      const cells = [median(before), median(after), ratio].map((value) => round(value, 2))
      rows.push([figure.name, ...cells, isWorse ? 'worse' : ''])
    }
  }
  return { report: toTable([['what', 'before', 'after', 'ratio', ''], ...rows]), worse }
}

/** The output of the benchmark; a missed target is not an error here. */
function runBenchmark(checkout: string, name: string): Promise<string> {
  return new Promise((settle, reject) => {
    const options = { cwd: checkout, timeout: longestMs, maxBuffer: 16 * 1024 * 1024 }
    execFile(process.execPath, ['bench/main.ts', name], options, (error, stdout, stderr) => {
      if (stdout.includes('| what ')) settle(stdout)
      else reject(new Error(`${name} failed in ${checkout}:\n${stderr}`, { cause: error }))
    })
  })
}

/** NaN if the other checkout has no such row. */
function readNumber(text: string, { row, number }: Compared): number {
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = line.split('|').map((cell) => cell.trim())
    if (row.test(name)) return Number(number.exec(`${name} | ${value}`)?.[1] ?? Number.NaN)
  }
  return Number.NaN
}
