import { readFile, writeFile } from 'node:fs/promises'

/** Resident memory of a process in MB, by Linux's /proc; NaN elsewhere. */
export async function residentMb(pid: number): Promise<number> {
  return readMb(pid, 'VmRSS')
}

/** Peak memory since `forgetPeak`. */
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

/** Resident bytes of a process by its own metrics; on every platform. */
export async function residentBytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = /^muster_process_resident_memory_bytes (\S+)$/m.exec(text)
  if (line === null) throw new Error('The metrics tell no resident memory')
  return Number(line[1])
}
