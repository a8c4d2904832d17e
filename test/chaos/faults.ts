import { setTimeout as delay } from 'node:timers/promises'
import { postmasterPid } from '../../rig/bench-database.ts'
import type { Fault, FaultKind } from './schedule.ts'
import type { Slot } from './slot.ts'

/** Makes faults happen, each at its time; counts those that found somebody to happen to. */
export interface FaultTargets {
  slots: readonly Slot[]
  /** Of the embedded database. */
  dataDir: string
  /** Triggers so many runs at once. */
  burst: (count: number) => void
}

/** A job goes to another worker about 12 s after its last heartbeat. */
const leaseSeconds = 12

export async function playFaults(
  schedule: readonly Fault[],
  targets: FaultTargets,
  done: Map<FaultKind, number>,
  signal: AbortSignal,
): Promise<void> {
  const beganAt = performance.now()
  for (const fault of schedule) {
    await delay(Math.max(0, fault.atMs - (performance.now() - beganAt)), undefined, { signal })
    if (await play(fault, targets)) done.set(fault.kind, (done.get(fault.kind) ?? 0) + 1)
  }
}

/** Ends every fault that lasts. */
export function heal(slots: readonly Slot[]): void {
  for (const slot of slots) {
    slot.unpause()
    slot.proxy.heal()
  }
}

async function play({ kind, place, size }: Fault, targets: FaultTargets): Promise<boolean> {
  const { slots, dataDir, burst } = targets
  const seconds = (least: number, most: number): number => 1_000 * (least + (most - least) * size)
  const one = (role?: Slot['role']): Slot | undefined => pick(slots, place, role)
  const proxies = slots.map(({ proxy }) => proxy)
  switch (kind) {
    case 'kill -9 of a worker':
      return end(one('worker'), 'kill')
    case 'kill -9 of an API process':
      return end(one('api'), 'kill')
    case 'SIGTERM of a process':
      return end(one(), 'stop')
    case 'worker paused beyond its lease':
      return happens(one('worker'), (slot) => slot.pause(seconds(leaseSeconds + 1, 25)))
    case 'process paused for seconds':
      return happens(one(), (slot) => slot.pause(seconds(0.5, 6)))
    // Its owner, this process, starts it again.
    case 'kill -9 of the database':
      return signalTo(await findPostmaster(dataDir), 'SIGKILL')
    case 'fast restart of the database':
      return signalTo(await findPostmaster(dataDir), 'SIGINT')
    case 'connections of a process cut':
      return happens(one(), ({ proxy }) => proxy.cut())
    case 'all connections cut':
      return happens(proxies, () => proxies.forEach((proxy) => proxy.cut()))
    case 'connections of a process stalled':
      return happens(one(), ({ proxy }) => proxy.stall(seconds(1, 20)))
    case 'all connections stalled':
      return happens(proxies, () => proxies.forEach((proxy) => proxy.stall(seconds(1, 6))))
    case 'connections of a process refused':
      return happens(one(), ({ proxy }) => proxy.refuse(seconds(1, 15)))
    case 'all connections refused':
      return happens(proxies, () => proxies.forEach((proxy) => proxy.refuse(seconds(1, 6))))
    case 'clock of a process stepped':
      return signalTo(one()?.up()?.pid, 'SIGUSR2')
    case 'burst of triggers':
      burst(Math.round(60 + 60 * size))
      return true
  }
}

/** The first process that is up, from a place on. */
function pick(slots: readonly Slot[], place: number, role?: Slot['role']): Slot | undefined {
  const able = slots.filter((slot) => role === undefined || slot.role === role)
  const first = Math.floor(place * able.length)
  return [...able.slice(first), ...able.slice(0, first)].find((slot) => slot.up() !== undefined)
}

function happens<Target>(target: Target | undefined, act: (target: Target) => void): boolean {
  if (target === undefined) return false
  act(target)
  return true
}

/** The next fault does not wait for a process that takes its time to stop. */
function end(slot: Slot | undefined, how: 'kill' | 'stop'): boolean {
  return happens(slot, (slot) => void slot.end(how))
}

/** Undefined while it is being restarted. */
async function findPostmaster(dataDir: string): Promise<number | undefined> {
  return await postmasterPid(dataDir).catch(() => undefined)
}

function signalTo(pid: number | undefined, signal: NodeJS.Signals): boolean {
  // Zero would be the group of this process.
  if (pid === undefined || !(pid > 0)) return false
  try {
    return process.kill(pid, signal)
  } catch {
    // It has just ended.
    return false
  }
}
