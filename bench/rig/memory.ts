import { readFile, writeFile } from 'node:fs/promises'

/** Resident memory of a process in MB, by Linux's /proc; NaN elsewhere. */
export async function residentMb(pid: number): Promise<number> {
  return readMb(pid, 'VmRSS')
}

/** The most since `forgetPeak`. */
export async function peakMb(pid: number): Promise<number> {
  return readMb(pid, 'VmHWM')
}

export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {})
}

async function readMb(pid: number, name: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? Number.NaN) / 1024
}
