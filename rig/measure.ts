import { readdir, readFile } from 'node:fs/promises'

/** Milliseconds of the machine's monotonic clock, which all its processes share. */
export function clockMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000
}

/** The percentile of the numbers at `share` (0–1); NaN if there are none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(numbers: readonly number[]): number {
  return percentile(numbers, 0.5)
}

export function round(value: number, digits = 1): string {
  return Number.isFinite(value) ? value.toFixed(digits) : 'none'
}

/** CPU time of a process in milliseconds, from Linux's /proc; NaN elsewhere. */
export async function processCpuMs(pid: number): Promise<number> {
  const fields = await readStat(pid)
  return fields === undefined ? Number.NaN : own(fields)
}

/** The same for a server with a process per connection, including ended ones. */
export async function familyCpuMs(pid: number): Promise<number> {
  const parent = await readStat(pid)
  if (parent === undefined) return Number.NaN
  const children = await readChildren(pid)
  const ended = ((parent[13] as number) + (parent[14] as number)) * msPerTick
  return own(parent) + ended + children.reduce((sum, { fields }) => sum + own(fields), 0)
}

/** The child processes of a process, with their numbers of `readStat`. */
export async function readChildren(parent: number): Promise<{ pid: number; fields: number[] }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const all = await Promise.all(
    pids.map(async (pid) => ({ pid, fields: (await readStat(pid)) ?? [] })),
  )
  return all.filter(({ fields }) => fields[1] === parent)
}

// The kernel reports in USER_HZ, which is 100 on every common platform.
const msPerTick = 10

function own(fields: number[]): number {
  return ((fields[11] ?? 0) + (fields[12] ?? 0)) * msPerTick
}

/**
 * The numbers after the program's name: state, parent, …, utime (11), stime (12), of ended children
 * (13, 14).
 */
async function readStat(pid: number): Promise<number[] | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
}
